package io.holdfast.docs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockListener;
import io.holdfast.LockSnapshot;

/**
 * Remembers which locks were acquired.
 */
class AcquiredLocks implements LockListener {

	private final List<LockSnapshot> acquired = new CopyOnWriteArrayList<>();

	@Override
	public void onAcquired(LockSnapshot lock, Duration waited) {
		this.acquired.add(lock);
	}

	/**
	 * Return the keys that an action locks, in order.
	 */
	List<String> keysBy(Runnable action) {
		this.acquired.clear();
		action.run();
		return this.acquired.stream().flatMap((lock) -> lock.keys().stream()).toList();
	}

}
