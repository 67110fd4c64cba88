package io.holdfast.local;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.MonotonicClock;
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

	// Leases that are longer count as this long, so that times can be compared
	private static final long LONGEST = Long.MAX_VALUE / 4;

	private static final int FEW = 64;

	private static final int MORE_TOKENS = 63;

	private final Map<String, LocalLock> locks = new HashMap<>();

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

	/**
	 * Do something in one step, as a script in Redis is, and send the wake-ups after it.
	 */
	<T> T step(Step<T> step) {
		List<WakeUp> wakeUps = new ArrayList<>();
		T result;
		synchronized (this.locks) {
			long now = this.clock.nanos();
			tidy(now);
			result = step.run(now, wakeUps);
		}
		wakeUps.forEach(this::send);
		return result;
	}

	private void send(WakeUp wakeUp) {
		WakeUpListener listener = listener(wakeUp.to().substring(0, wakeUp.to().indexOf(':')));
		if (listener != null) {
			wakeUp.message().accept(listener);
		}
	}

	// Locks whose time is over are dropped whenever there are twice as many as the last
	// time
	private void tidy(long now) {
		if (this.locks.size() >= this.tidyAt) {
			forgetEnded(now);
			this.tidyAt = Math.max(FEW, 2 * this.locks.size());
		}
	}

	private void forgetEnded(long now) {
		this.locks.values().forEach((lock) -> lock.settle(now));
		this.locks.values().removeIf(LocalLock::isUnused);
	}

	LocalLock lock(String key, long now) {
		LocalLock lock = this.locks.computeIfAbsent(key, LocalLock::new);
		lock.settle(now);
		return lock;
	}

	void forgetUnused(LocalLock lock) {
		if (lock.isUnused()) {
			this.locks.remove(lock.key());
		}
	}

	List<String> heldKeys(long now) {
		forgetEnded(now);
		return this.locks.values().stream().filter(LocalLock::isHeld).map(LocalLock::key).toList();
	}

	/**
	 * Return a token that is greater than all before, and than one that is known.
	 */
	long nextToken(long known) {
		long micros = ChronoUnit.MICROS.between(Instant.EPOCH, this.wallClock.instant());
		this.lastToken = Math.max(Math.max(this.lastToken, known) + 1, micros);
		return this.lastToken;
	}

	/**
	 * Return the first of several tokens up to {@link #lastToken()}, for a lock that may
	 * be passed on.
	 */
	long nextTokens(long known) {
		long first = nextToken(known);
		this.lastToken += MORE_TOKENS;
		return first;
	}

	long lastToken() {
		return this.lastToken;
	}

	static long nanos(Duration lease) {
		return Math.min(TimeUnit.NANOSECONDS.convert(lease), LONGEST);
	}

	@FunctionalInterface
	interface Step<T> {

		T run(long now, List<WakeUp> wakeUps);

	}

}
