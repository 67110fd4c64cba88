package io.holdfast.differential;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;

/**
 * Locks in memory, whose clocks only move when the test moves them.
 */
final class LocalSide extends Side {

	private static final long BACK_SECONDS = 10;

	private final Map<String, LockStore> stores = new HashMap<>();

	private long nanos;

	private Instant wallClock = Instant.EPOCH;

	LocalSide() {
		clear();
	}

	@Override
	protected LockStore store(String instance) {
		return this.stores.get(instance);
	}

	@Override
	protected void clear() {
		this.nanos = 0;
		this.wallClock = Instant.now();
		LocalLocks locks = new LocalLocks(() -> this.nanos, () -> this.wallClock);
		INSTANCES.forEach((instance) -> {
			LockStore store = new LocalLockStore(locks);
			store.listen(instance, wakeUps(instance));
			this.stores.put(instance, store);
		});
	}

	@Override
	protected void tellEnd(String instance) {
		wakeUps(instance).wakeUp(END, instance + ":");
	}

	@Override
	protected void pass(int hours) {
		this.nanos += TimeUnit.HOURS.toNanos(hours);
	}

	@Override
	protected void setClockBack(String key) {
		this.wallClock = this.wallClock.minusSeconds(BACK_SECONDS);
	}

}
