package io.holdfast.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.StoreView;

/**
 * One of the stores that are compared, as some instances use it, with what the test does
 * to its time.
 */
abstract class Side {

	static final List<String> INSTANCES = List.of("a", "b");

	private final Map<String, WakeUps> wakeUps = new LinkedHashMap<>();

	private Tokens tokens = new Tokens();

	Side() {
		INSTANCES.forEach((instance) -> this.wakeUps.put(instance, new WakeUps()));
	}

	LockStore storeOf(String owner) {
		return store(owner.substring(0, owner.indexOf(':')));
	}

	WakeUps wakeUps(String instance) {
		return this.wakeUps.get(instance);
	}

	Tokens tokens() {
		return this.tokens;
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

	abstract LockStore store(String instance);

	abstract void clear();

	abstract void tellEnd(String instance);

	abstract void pass(int hours);

	/**
	 * Set the clock that tokens are made of back, as it is seen from the last token of a
	 * key.
	 */
	abstract void setClockBack(String key);

}
