package io.holdfast.engine;

import io.holdfast.engine.LockStore.HoldId;

/**
 * Passes what the store tells on to whom it is for.
 */
final class WakeUps implements LockStore.WakeUpListener {

	private final LocalQueues queues;

	private final LoneWaiters loneWaiters;

	private final ForcedReleases forcedReleases;

	WakeUps(LocalQueues queues, LoneWaiters loneWaiters, ForcedReleases forcedReleases) {
		this.queues = queues;
		this.loneWaiters = loneWaiters;
		this.forcedReleases = forcedReleases;
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

	@Override
	public void forceReleased(HoldId hold) {
		this.forcedReleases.checkSoon(hold);
	}

}
