package io.holdfast.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * The instances that listen to what happens to locks in memory.
 */
final class LocalListeners {

	private final Map<String, WakeUpListener> listeners = new ConcurrentHashMap<>();

	void add(String instanceId, WakeUpListener listener) {
		if (this.listeners.put(instanceId, listener) == null) {
			listener.wakeUpAll();
		}
	}

	void remove(String instanceId) {
		this.listeners.remove(instanceId);
	}

	boolean contains(String instanceId) {
		return this.listeners.containsKey(instanceId);
	}

	void wakeUp(WakeUp wakeUp) {
		WakeUpListener listener = listenerOf(wakeUp.to());
		if (listener != null) {
			wakeUp.message().accept(listener);
		}
	}

	void forceReleased(HoldId released) {
		WakeUpListener listener = listenerOf(released.owner());
		if (listener != null) {
			listener.forceReleased(released);
		}
	}

	private @Nullable WakeUpListener listenerOf(String ownerOrPlace) {
		return this.listeners.get(ownerOrPlace.substring(0, ownerOrPlace.indexOf(':')));
	}

}
