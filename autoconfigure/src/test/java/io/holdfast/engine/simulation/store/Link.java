package io.holdfast.engine.simulation.store;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;

/**
 * How an instance reaches the store.
 */
interface Link {

	/**
	 * Ask for something.
	 * @throws io.holdfast.engine.LockStoreException when there is no answer
	 */
	<T> T send(StoreCall<T> call);

	void listen(WakeUpListener listener);

	void stopListening();

	Subscription subscription();

}
