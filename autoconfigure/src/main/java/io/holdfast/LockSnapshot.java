package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The state of a held lock at one moment.
 *
 * @param keys the keys, with the name in front if there is one
 * @param name the lock's name of low cardinality, or {@code null} when it has none
 * @param mode exclusive or shared
 * @param owner the owner's id, {@code <instanceId>:<threadId>} for a hold bound to a
 * thread
 * @param threadName name of the thread that acquired the lock
 * @param since when the lock was granted, on the wall clock
 * @param remainingLease time until the lease expires; never negative
 * @param holdCount how many times the owner holds the lock in this mode: a shared
 * acquisition within an exclusive one does not count
 * @param fencingToken the grant's token; of the first key when there are several
 * @since 0.1.0
 */
public record LockSnapshot(List<String> keys, @Nullable String name, LockMode mode, String owner, String threadName,
		Instant since, Duration remainingLease, int holdCount, long fencingToken) {

	/**
	 * Check that only the name is {@code null}, and copy the keys.
	 */
	public LockSnapshot {
		Objects.requireNonNull(keys, "'keys' must not be null");
		Objects.requireNonNull(mode, "'mode' must not be null");
		Objects.requireNonNull(owner, "'owner' must not be null");
		Objects.requireNonNull(threadName, "'threadName' must not be null");
		Objects.requireNonNull(since, "'since' must not be null");
		Objects.requireNonNull(remainingLease, "'remainingLease' must not be null");
		keys = List.copyOf(keys);
	}

	boolean isHeldByCurrentThread() {
		return this.owner.endsWith(":" + Thread.currentThread().getId()) && !this.remainingLease.isZero();
	}

	boolean isHeldByHandle() {
		return this.owner.contains(":handle-") && !this.remainingLease.isZero();
	}

}
