package io.holdfast.local;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.rules.LockRules;
import io.holdfast.rules.LockState;
import io.holdfast.rules.WakeUp;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks that are kept in memory. Several {@link LocalLockStore}s that share them exclude
 * each other, as applications that share a Redis do.
 *
 * @since 0.1.0
 */
public final class LocalLocks {

	private static final Map<String, LocalLocks> ofJvm = new ConcurrentHashMap<>();

	private static final int FEW = 64;

	private final Map<String, LockState> states = new HashMap<>();

	private final Map<String, WakeUpListener> listeners = new ConcurrentHashMap<>();

	private final MonotonicClock clock;

	private final InstantSource wallClock;

	private int tidyAt = FEW;

	private long lastToken;

	/**
	 * Create locks.
	 */
	public LocalLocks() {
		this(MonotonicClock.SYSTEM, InstantSource.system());
	}

	/**
	 * Create locks with clocks of their own.
	 * @param clock decides when leases expire
	 * @param wallClock source of fencing tokens
	 */
	public LocalLocks(MonotonicClock clock, InstantSource wallClock) {
		Assert.notNull(clock, "'clock' must not be null");
		Assert.notNull(wallClock, "'wallClock' must not be null");
		this.clock = clock;
		this.wallClock = wallClock;
	}

	/**
	 * Return the locks that all applications in this JVM share, as they would share a
	 * Redis.
	 * @param keyPrefix what the keys begin with; another prefix means other locks
	 * @return the locks
	 */
	public static LocalLocks ofJvm(String keyPrefix) {
		return ofJvm.computeIfAbsent(keyPrefix, (prefix) -> new LocalLocks());
	}

	void listen(String instanceId, WakeUpListener listener) {
		if (this.listeners.put(instanceId, listener) == null) {
			listener.wakeUpAll();
		}
	}

	void stopListening(String instanceId) {
		this.listeners.remove(instanceId);
	}

	@Nullable WakeUpListener listener(String instanceId) {
		return this.listeners.get(instanceId);
	}

	// As a script in Redis does, with the wake-ups sent after it
	<T> T step(Collection<String> keys, Function<LockRules, T> request) {
		LockRules rules;
		T answer;
		synchronized (this.states) {
			tidy();
			Map<String, LockState> present = new HashMap<>();
			keys.forEach((key) -> present.put(key, this.states.getOrDefault(key, LockState.FREE)));
			rules = new LockRules(present, this.clock.nanos(), leastToken());
			answer = request.apply(rules);
			rules.states().forEach(this::put);
		}
		rules.wakeUps().forEach(this::send);
		return answer;
	}

	// Tokens grow although locks without users are forgotten
	private long leastToken() {
		return Math.max(this.lastToken + 1, ChronoUnit.MICROS.between(Instant.EPOCH, this.wallClock.instant()));
	}

	private void put(String key, LockState state) {
		this.lastToken = Math.max(this.lastToken, state.lastToken());
		if (state.isUnused()) {
			this.states.remove(key);
		}
		else {
			this.states.put(key, state);
		}
	}

	private void send(WakeUp wakeUp) {
		WakeUpListener listener = listener(wakeUp.instance());
		if (listener != null) {
			wakeUp.tell(listener);
		}
	}

	// Locks whose time is over are dropped whenever there are twice as many as the last
	// time
	private void tidy() {
		if (this.states.size() >= this.tidyAt) {
			forgetEnded();
			this.tidyAt = Math.max(FEW, 2 * this.states.size());
		}
	}

	private void forgetEnded() {
		long now = this.clock.nanos();
		this.states.replaceAll((key, state) -> state.at(now));
		this.states.values().removeIf(LockState::isUnused);
	}

	List<String> heldKeys() {
		synchronized (this.states) {
			forgetEnded();
			return this.states.entrySet()
				.stream()
				.filter((lock) -> lock.getValue().isHeld())
				.map(Map.Entry::getKey)
				.toList();
		}
	}

}
