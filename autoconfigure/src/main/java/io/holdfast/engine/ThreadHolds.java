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

	private final ThreadLocal<@Nullable OfThread> holds = new ThreadLocal<>();

	/**
	 * Note a hold if its owner is the current thread.
	 */
	void add(Hold hold) {
		if (hold.owner().thread() != Thread.currentThread()) {
			return;
		}
		OfThread ofThisThread = this.holds.get();
		if (ofThisThread == null) {
			ofThisThread = new OfThread();
			this.holds.set(ofThisThread);
		}
		ofThisThread.add(hold);
	}

	/**
	 * Return the holds of the current thread that are relied on.
	 */
	List<Hold> ofCurrentThread() {
		OfThread ofThisThread = this.holds.get();
		if (ofThisThread == null) {
			return List.of();
		}
		List<Hold> open = ofThisThread.open();
		if (open.isEmpty()) {
			this.holds.remove();
		}
		return open;
	}

	/**
	 * The holds of one thread. Those that are over are dropped when there are twice as
	 * many as there were after the last time: often enough that there are never many more
	 * than are open, and so seldom that it costs little however many these are.
	 */
	private static final class OfThread {

		private final List<WeakReference<Hold>> holds = new ArrayList<>(1);

		private int most = 1;

		void add(Hold hold) {
			if (this.holds.size() >= this.most) {
				this.holds.removeIf((reference) -> isOver(reference.get()));
				this.most = Math.max(1, 2 * this.holds.size());
			}
			this.holds.add(new WeakReference<>(hold));
		}

		List<Hold> open() {
			List<Hold> open = new ArrayList<>(this.holds.size());
			this.holds.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(open::add);
			open.removeIf(OfThread::isOver);
			return open;
		}

		private static boolean isOver(@Nullable Hold hold) {
			return hold == null || !hold.isReliedOn();
		}

	}

}
