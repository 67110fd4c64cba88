package io.holdfast.local;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.concurrent.MonotonicClock;

/**
 * All locks in memory that are held or waited for, by key. Callers see that one thread at
 * a time uses it.
 */
final class LocalTable {

	/**
	 * Leases that are longer count as this long.
	 */
	private static final long LONGEST = Long.MAX_VALUE / 4;

	private static final int FEW = 64;

	private final InstantSource wallClock;

	private final Map<String, LocalLock> locks = new HashMap<>();

	/**
	 * How many tokens more there are for a lock that may be passed on.
	 */
	private static final int MORE_TOKENS = 63;

	private int most = FEW;

	/**
	 * Last token of any key.
	 */
	private long lastToken;

	LocalTable(InstantSource wallClock) {
		this.wallClock = wallClock;
	}

	/**
	 * Drop the locks that have ended by themselves, whenever there are twice as many as
	 * after the last time. To be called when none is in use.
	 */
	void tidy(MonotonicClock clock) {
		if (this.locks.size() >= this.most) {
			forgetEnded(clock.nanos());
			this.most = Math.max(FEW, 2 * this.locks.size());
		}
	}

	/**
	 * Return the lock of a key, as it is now.
	 */
	LocalLock lock(String key, long now) {
		LocalLock lock = this.locks.computeIfAbsent(key, (fresh) -> new LocalLock());
		lock.settle(now);
		return lock;
	}

	/**
	 * Drop a lock that has neither holder nor waiter.
	 */
	void forget(String key, LocalLock lock) {
		if (lock.isForgotten()) {
			this.locks.remove(key);
		}
	}

	List<String> heldKeys(long now) {
		forgetEnded(now);
		return this.locks.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().isTaken())
			.map(Map.Entry::getKey)
			.toList();
	}

	private void forgetEnded(long now) {
		this.locks.values().forEach((lock) -> lock.settle(now));
		this.locks.values().removeIf(LocalLock::isForgotten);
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
	 * Return the first of the tokens up to {@link #lastToken()} that no other gets.
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

}
