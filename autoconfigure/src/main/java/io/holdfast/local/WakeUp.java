package io.holdfast.local;

import java.util.function.Consumer;

import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.WakeUpListener;
import io.holdfast.engine.store.StoreView.Holder;

/**
 * Something that an instance is to be told about a lock.
 *
 * @param to what is the instance's: a place in the queue, or a holder
 * @param message how its listener is told
 */
record WakeUp(String to, Consumer<WakeUpListener> message) {

	/**
	 * A waiter is to try a lock.
	 */
	static WakeUp of(String key, String placeId) {
		return new WakeUp(placeId, (listener) -> listener.wakeUp(key, placeId));
	}

	/**
	 * Others wait for what a holder has.
	 */
	static WakeUp wanted(String key, String holder, boolean fair) {
		return new WakeUp(holder, (listener) -> listener.wanted(key, fair));
	}

	/**
	 * A holder has lost what it had to an operator.
	 */
	static WakeUp forceReleased(String key, Holder holder) {
		HoldId released = new HoldId(key, holder.owner(), holder.token());
		return new WakeUp(holder.owner(), (listener) -> listener.forceReleased(released));
	}

}
