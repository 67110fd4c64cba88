package io.holdfast.engine;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The holds that each thread has got and that are still relied on: also those that are
 * lost, which {@link Holds} does not know any more. Does not keep a hold from being
 * collected whose handles have been thrown away.
 */
final class ThreadHolds {

	private final ThreadLocal<@Nullable List<WeakReference<Hold>>> holds = new ThreadLocal<>();

	/**
	 * Note a hold if its owner is the current thread. Those that are over are dropped, so
	 * that there are never many more than are open at a time.
	 */
	void add(Hold hold) {
		if (hold.owner().thread() != Thread.currentThread()) {
			return;
		}
		List<WeakReference<Hold>> ofThisThread = this.holds.get();
		if (ofThisThread == null) {
			ofThisThread = new ArrayList<>(1);
			this.holds.set(ofThisThread);
		}
		ofThisThread.removeIf((reference) -> isOver(reference.get()));
		ofThisThread.add(new WeakReference<>(hold));
	}

	/**
	 * Return the holds of the current thread that are relied on.
	 */
	List<Hold> ofCurrentThread() {
		List<WeakReference<Hold>> ofThisThread = this.holds.get();
		if (ofThisThread == null) {
			return List.of();
		}
		List<Hold> open = new ArrayList<>(ofThisThread.size());
		ofThisThread.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(open::add);
		open.removeIf(ThreadHolds::isOver);
		if (open.isEmpty()) {
			this.holds.remove();
		}
		return open;
	}

	private static boolean isOver(@Nullable Hold hold) {
		return hold == null || !hold.isReliedOn();
	}

}
