package io.holdfast.engine;

import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.HoldId;

/**
 * Passes what the store tells on to whom it is for.
 */
final class WakeUps implements LockStore.WakeUpListener {

	private final Lines lines;

	private final ForcedReleases forcedReleases;

	WakeUps(Lines lines, ForcedReleases forcedReleases) {
		this.lines = lines;
		this.forcedReleases = forcedReleases;
	}

	@Override
	public void wakeUp(String key, String placeId) {
		this.lines.wakeUp(key, placeId);
	}

	@Override
	public void wakeUpAll() {
		this.lines.wakeUpAll();
	}

	@Override
	public void forceReleased(HoldId hold) {
		this.forcedReleases.checkSoon(hold);
	}

}
