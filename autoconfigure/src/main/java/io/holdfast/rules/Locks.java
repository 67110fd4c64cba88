package io.holdfast.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.holdfast.rules.LockState.Place;

/**
 * The locks of a request while it is decided: the keys of a script.
 */
final class Locks {

	// Leases that are longer count as this long, so that times can be compared
	private static final long LONGEST = Long.MAX_VALUE / 4;

	private final Map<String, LockState> states = new HashMap<>();

	private final List<WakeUp> wakeUps = new ArrayList<>();

	private final long now;

	private final long leastToken;

	Locks(Map<String, LockState> states, long now, long leastToken) {
		states.forEach((key, state) -> this.states.put(key, state.at(now)));
		this.now = now;
		this.leastToken = leastToken;
	}

	Map<String, LockState> states() {
		return this.states;
	}

	List<WakeUp> wakeUps() {
		return this.wakeUps;
	}

	long now() {
		return this.now;
	}

	long after(Duration time) {
		return this.now + Math.min(TimeUnit.NANOSECONDS.convert(time), LONGEST);
	}

	LockState get(String key) {
		return Objects.requireNonNull(this.states.get(key));
	}

	void put(String key, LockState state) {
		this.states.put(key, state);
	}

	// Reserves tokens greater than all before, and than the known one. Returns the first
	long nextTokens(String key, long known, int more) {
		LockState state = get(key).nextTokens(Math.max(known + 1, this.leastToken), more);
		put(key, state);
		return state.lastToken() - more;
	}

	void wakeFirst(String key) {
		get(key).queue().stream().limit(1).forEach((place) -> wake(key, place));
	}

	void wakeFront(String key, boolean oneMore) {
		get(key).front(oneMore).forEach((place) -> wake(key, place));
	}

	private void wake(String key, Place place) {
		tell(new WakeUp(WakeUp.Kind.MAY_TRY, key, place.id(), 0));
	}

	void tell(WakeUp wakeUp) {
		this.wakeUps.add(wakeUp);
	}

}
