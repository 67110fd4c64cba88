package io.holdfast.local;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;

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
		KeyState state = this.locks.look(key);
		if (state != null) {
			state.holders().forEach((holder) -> takeAway(key, holder));
		}
	}

	private void takeAway(String key, Holder holder) {
		if (holder.kept()) {
			this.locks.release(new HoldId(key, holder.owner() + StoreView.KEPT, holder.token()), 0);
		}
		else {
			this.locks.withdraw(key, holder.owner(), Long.MAX_VALUE);
		}
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		KeyState state = this.locks.look(key);
		return ((state != null) ? state.waiterCount() : 0) == waiters;
	}

}
