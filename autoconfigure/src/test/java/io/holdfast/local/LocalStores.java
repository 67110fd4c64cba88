package io.holdfast.local;

import io.holdfast.engine.LockStores;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.StoreView.KeyState;

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
		return new LocalLockStore(this.locks);
	}

	@Override
	public void takeAway(String key) {
		this.locks.forceRelease(key, null);
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		KeyState state = this.locks.look(key);
		return ((state != null) ? state.waiterCount() : 0) == waiters;
	}

}
