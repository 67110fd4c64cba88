package io.holdfast.local;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStores;

/**
 * Locks in memory.
 */
public final class LocalStores implements LockStores {

	private final LocalLocks locks = new LocalLocks();

	@Override
	public void start() {
		// nothing to start
	}

	@Override
	public void close() {
		// nothing to end
	}

	@Override
	public LockStore open(String instanceId) {
		return new LocalLockStore(this.locks, instanceId);
	}

	@Override
	public void takeAway(String key) {
		this.locks.takeAway(key);
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		return this.locks.waiters(key) == waiters;
	}

}
