package io.holdfast.engine;

/**
 * Passes the store's wake-ups on to whom they are for.
 */
final class WakeUps implements LockStore.WakeUpListener {

	private final LocalQueues queues;

	private final LoneWaiters loneWaiters;

	WakeUps(LocalQueues queues, LoneWaiters loneWaiters) {
		this.queues = queues;
		this.loneWaiters = loneWaiters;
	}

	@Override
	public void wakeUp(String key, String placeId) {
		if (!this.loneWaiters.wakeUp(placeId)) {
			this.queues.wakeUp(key);
		}
	}

	@Override
	public void wakeUpAll() {
		this.loneWaiters.wakeUpAll();
		this.queues.wakeUpAll();
	}

}
