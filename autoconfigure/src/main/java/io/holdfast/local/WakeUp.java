package io.holdfast.local;

import java.util.function.Consumer;

import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.StoreView.Holder;

/**
 * Something that an instance is to be told about a lock.
 */
record WakeUp(String to, Consumer<WakeUpListener> message) {

	static WakeUp of(String key, String placeId) {
		return new WakeUp(placeId, (listener) -> listener.wakeUp(key, placeId));
	}

	static WakeUp wanted(String key, String holder, boolean fair) {
		return new WakeUp(holder, (listener) -> listener.wanted(key, fair));
	}

	static WakeUp forceReleased(String key, Holder holder) {
		HoldId released = new HoldId(key, holder.owner(), holder.token());
		return new WakeUp(holder.owner(), (listener) -> listener.forceReleased(released));
	}

}
