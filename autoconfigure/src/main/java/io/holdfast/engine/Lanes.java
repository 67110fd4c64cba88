package io.holdfast.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Threads that ask the store: some for each server, so that what waits for a server that
 * hangs does not keep others from being asked. There are no more lanes than servers have
 * ever been known, and they have no threads when there is nothing to do.
 */
final class Lanes {

	private final LockStore store;

	private final EngineRuntime runtime;

	private final String name;

	private final int threads;

	private final Map<String, ScheduledExecutorService> lanes = new ConcurrentHashMap<>();

	/**
	 * Create lanes.
	 * @param name what threads are called
	 * @param threads how many there are for each server
	 */
	Lanes(LockStore store, EngineRuntime runtime, String name, int threads) {
		this.store = store;
		this.runtime = runtime;
		this.name = name;
		this.threads = threads;
	}

	/**
	 * Return where to ask the store about keys.
	 */
	ScheduledExecutorService of(List<String> keys) {
		return this.lanes.computeIfAbsent(this.store.serverOf(keys),
				(server) -> this.runtime.newExecutor(this.name, this.threads));
	}

	/**
	 * Return all that have been needed by now.
	 */
	Collection<ScheduledExecutorService> all() {
		return this.lanes.values();
	}

}
