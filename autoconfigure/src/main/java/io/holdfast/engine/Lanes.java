package io.holdfast.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.store.LockStore;

/**
 * Threads that ask the store: some for each server, so that what waits for a server that
 * hangs does not keep others from being asked. There are no more lanes than servers have
 * ever been known, and they have no threads when there is nothing to do.
 */
final class Lanes {

	private final LockStore store;

	private final Background background;

	private final String name;

	private final int threads;

	private final Map<String, Executor> lanes = new ConcurrentHashMap<>();

	/**
	 * Create lanes.
	 * @param name what threads are called
	 * @param threads how many there are for each server
	 */
	Lanes(LockStore store, Background background, String name, int threads) {
		this.store = store;
		this.background = background;
		this.name = name;
		this.threads = threads;
	}

	/**
	 * Return where to ask the store about keys.
	 */
	Executor of(List<String> keys) {
		return this.lanes.computeIfAbsent(this.store.serverOf(keys),
				(server) -> this.background.newExecutor(this.name, this.threads));
	}

	/**
	 * Return all that have been needed by now.
	 */
	Collection<Executor> all() {
		return this.lanes.values();
	}

}
