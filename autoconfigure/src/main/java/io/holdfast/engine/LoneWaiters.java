package io.holdfast.engine;

import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.LockStore.QueuePlace;

/**
 * The callers of this instance that wait without a line, by their places in the store's
 * queues.
 */
final class LoneWaiters {

	private final ConcurrentHashMap<String, LoneWaiter> waiters = new ConcurrentHashMap<>();

	LoneWaiter enter(Claimant claimant, Sleeper sleeper) {
		return new LoneWaiter(this, claimant.place(), sleeper);
	}

	void add(LoneWaiter waiter) {
		QueuePlace place = waiter.place();
		if (place != null) {
			this.waiters.put(place.id(), waiter);
		}
	}

	void remove(LoneWaiter waiter) {
		QueuePlace place = waiter.place();
		if (place != null) {
			this.waiters.remove(place.id());
		}
	}

	/**
	 * Wake who has a place.
	 * @return whether there is somebody
	 */
	boolean wakeUp(String placeId) {
		LoneWaiter waiter = this.waiters.get(placeId);
		if (waiter != null) {
			waiter.wakeUp();
		}
		return waiter != null;
	}

	void wakeUpAll() {
		this.waiters.values().forEach(LoneWaiter::wakeUp);
	}

}
