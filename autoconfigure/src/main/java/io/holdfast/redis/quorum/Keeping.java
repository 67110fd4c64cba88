package io.holdfast.redis.quorum;

import java.time.Duration;

import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.redis.SlotLocks;

/**
 * A hold that has ended, and whose keys stay taken for the rest of a time. Afterwards it
 * is withdrawn like any other.
 *
 * @param hold the hold
 * @param until the end of that time
 */
record Keeping(HoldId hold, long until) implements PendingRequest {

	/**
	 * Keep a hold from now on.
	 */
	static Keeping of(HoldId hold, Duration rest) {
		return new Keeping(hold, System.nanoTime() + rest.toNanos());
	}

	@Override
	public boolean send(SlotLocks locks, TentativeGrants grants) {
		long rest = this.until - System.nanoTime();
		return (rest > 0) ? locks.keep(this.hold, Duration.ofNanos(rest)) : TakeBack.of(this.hold).send(locks, grants);
	}

}
