package io.holdfast.local;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.StoreView;
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
		return new LocalLockStore(this.locks);
	}

	@Override
	public void takeAway(String key) {
		view().forceRelease(key, null, Duration.ofSeconds(1));
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		return view().look(List.of(key)).stream().mapToInt(KeyState::waiterCount).sum() == waiters;
	}

	private StoreView view() {
		return new LocalLockStore(this.locks).view();
	}

}
