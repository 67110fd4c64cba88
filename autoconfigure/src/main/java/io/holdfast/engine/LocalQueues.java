package io.holdfast.engine;

import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The {@link LocalQueue} of each key that somebody in this instance holds or waits for.
 */
final class LocalQueues {

	private final ConcurrentHashMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

	private final EngineRuntime runtime;

	LocalQueues(EngineRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Get in line for a key.
	 */
	Turn enter(Claimant claimant, Sleeper sleeper) {
		while (true) {
			LocalQueue queue = queue(claimant.onlyKey());
			Turn turn = new Turn(queue, claimant, sleeper);
			if (queue.enter(turn)) {
				return turn;
			}
			this.queues.remove(claimant.onlyKey(), queue);
		}
	}

	private LocalQueue queue(String key) {
		LocalQueue present = this.queues.get(key);
		return (present != null) ? present : this.queues.computeIfAbsent(key, (k) -> newQueue(key));
	}

	private LocalQueue newQueue(String key) {
		return new LocalQueue(this.runtime.newLock(), (unused) -> this.queues.remove(key, unused));
	}

	void wakeUp(String key) {
		LocalQueue queue = this.queues.get(key);
		if (queue != null) {
			queue.wakeUp();
		}
	}

	void wakeUpAll() {
		this.queues.values().forEach(LocalQueue::wakeUp);
	}

	/**
	 * Send everybody away who waits: there is nothing to wait for any more. Later callers
	 * find new queues.
	 */
	void abandon() {
		this.queues.values().forEach(LocalQueue::abandon);
		this.queues.clear();
	}

}
