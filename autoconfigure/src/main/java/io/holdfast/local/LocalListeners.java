package io.holdfast.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.store.LockStore.WakeUpListener;

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

	/**
	 * Return what an instance tells of itself, which is nothing unless it listens.
	 */
	Map<String, String> description(String instanceId) {
		WakeUpListener listener = this.listeners.get(instanceId);
		return (listener != null) ? listener.description() : Map.of();
	}

	boolean contains(String instanceId) {
		return this.listeners.containsKey(instanceId);
	}

	void wakeUp(WakeUp wakeUp) {
		WakeUpListener listener = this.listeners.get(wakeUp.to().substring(0, wakeUp.to().indexOf(':')));
		if (listener != null) {
			wakeUp.message().accept(listener);
		}
	}

}
