package io.holdfast.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.StoreView;

/**
 * One of the stores that are compared, as some instances use it, with what the test does
 * to its time.
 */
public abstract class Side implements AutoCloseable {

	protected static final List<String> INSTANCES = List.of("a", "b");

	/**
	 * What all instances are told last.
	 */
	protected static final String END = "end";

	private final Map<String, WakeUps> wakeUps = new LinkedHashMap<>();

	private Tokens tokens = new Tokens();

	protected Side() {
		INSTANCES.forEach((instance) -> this.wakeUps.put(instance, new WakeUps()));
	}

	LockStore storeOf(String owner) {
		return store(owner.substring(0, owner.indexOf(':')));
	}

	protected final WakeUpListener wakeUps(String instance) {
		return this.wakeUps.get(instance);
	}

	Tokens tokens() {
		return this.tokens;
	}

	protected final void raise(String key, long token) {
		this.tokens.raise(key, token);
	}

	void begin() {
		takeWakeUps();
		this.tokens = new Tokens();
		clear();
	}

	List<String> takeWakeUps() {
		List<String> all = new ArrayList<>();
		this.wakeUps.forEach((instance, told) -> {
			tellEnd(instance);
			all.addAll(told.take(this.tokens));
		});
		return all;
	}

	Answer answer(Call call) {
		try {
			return call.on().apply(this);
		}
		catch (RuntimeException ex) {
			return new Answer("fails: " + ex, null);
		}
	}

	boolean isShared(List<String> keys, String holder) {
		return store(INSTANCES.get(0)).view()
			.look(keys)
			.stream()
			.filter((state) -> state.mode() == LockMode.SHARED)
			.flatMap((state) -> state.holders().stream())
			.anyMatch((each) -> holder.equals(each.owner() + (each.kept() ? StoreView.KEPT : "")));
	}

	protected abstract LockStore store(String instance);

	protected abstract void clear();

	protected boolean sendsMessages() {
		return true;
	}

	protected abstract void tellEnd(String instance);

	protected abstract void pass(int hours);

	/**
	 * Set the clock that tokens are made of back, as it is seen from the last token of a
	 * key.
	 */
	protected abstract void setClockBack(String key);

	/**
	 * Remove what is not needed any more, but for tokens that are ahead of the clock.
	 */
	protected void cleanUp() {
		// happens by itself
	}

	@Override
	public void close() {
		// nothing is open
	}

}
