package io.holdfast.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;

/**
 * Threads that ask the store: some for each server, so that what waits for a server that
 * hangs does not keep others from being asked. There are no more lanes than servers have
 * ever been known, and they have no threads when there is nothing to do.
 */
final class Lanes {

	private final LockStore store;

	private final int threads;

	private final ThreadFactory factory;

	private final Map<String, ScheduledThreadPoolExecutor> lanes = new ConcurrentHashMap<>();

	/**
	 * Create lanes.
	 * @param name what threads are called
	 * @param threads how many there are for each server
	 */
	Lanes(LockStore store, String name, int threads) {
		this.store = store;
		this.threads = threads;
		this.factory = DaemonThreads.named(name);
	}

	/**
	 * Return where to ask the store about keys.
	 */
	ScheduledThreadPoolExecutor of(List<String> keys) {
		return this.lanes.computeIfAbsent(this.store.serverOf(keys),
				(server) -> DaemonThreads.scheduled(this.factory, this.threads));
	}

	/**
	 * Return all that have been needed by now.
	 */
	Collection<ScheduledThreadPoolExecutor> all() {
		return this.lanes.values();
	}

}
