package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Threads that ask the store: some for each server, so that a server that hangs does not
 * keep others from being asked. A server that is not asked any more is forgotten.
 *
 * @since 0.1.0
 */
public final class StoreThreads {

	private static final String NAME = "holdfast-store";

	// Enough to fill a slow line without many connections
	private static final int REQUESTS_AT_ONCE = 4;

	// More than the masters of most Clusters
	private static final int SERVERS_KEPT = 64;

	private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(2).toNanos();

	private final Function<List<String>, String> servers;

	private final Background background;

	private final Map<String, Server> used = new ConcurrentHashMap<>();

	private final Tally attempts;

	private final AtomicInteger generation = new AtomicInteger();

	public StoreThreads(Function<List<String>, String> servers, Background background) {
		this.servers = servers;
		this.background = background;
		this.attempts = new Tally(background.runtime());
	}

	public void execute(List<String> keys, Runnable task) {
		execute(this.servers.apply(keys), Server::requests, task);
	}

	void executeRenewal(String server, Runnable task) {
		execute(server, Server::renewals, task);
	}

	private void execute(String name, Function<Server, Executor> threads, Runnable task) {
		if (this.used.size() >= SERVERS_KEPT && !this.used.containsKey(name)) {
			forgetUnused();
		}
		Server server = this.used.computeIfAbsent(name, (n) -> newServer());
		server.underWay().execute(threads.apply(server), task);
	}

	private Server newServer() {
		return new Server(this.background.newExecutor(NAME, REQUESTS_AT_ONCE),
				this.background.newUntracedExecutor(NAME, REQUESTS_AT_ONCE),
				this.background.newUntracedExecutor(NAME, REQUESTS_AT_ONCE), new Tally(this.background.runtime()));
	}

	// The masters of a Cluster may get other addresses again and again
	private void forgetUnused() {
		this.used.values().removeIf((server) -> server.underWay().count() == 0);
	}

	/**
	 * Run a task soon, and again at growing intervals until it says that it is done. If
	 * it throws, it is run again as well.
	 */
	public void repeat(List<String> keys, BooleanSupplier task) {
		new Repetition(keys, task).begin();
	}

	// All that are not under way
	void forgetRepetitions() {
		this.generation.incrementAndGet();
	}

	void awaitAttempts(Duration atMost) {
		this.attempts.awaitNone(atMost);
	}

	// Separate threads: callers do not delay renewals, and what is repeated in an outage
	// does not delay callers
	private record Server(Executor requests, Executor renewals, Executor repetitions, Tally underWay) {
	}

	private final class Repetition {

		private final int generation = StoreThreads.this.generation.get();

		private final List<String> keys;

		private final BooleanSupplier task;

		private final Background.Task next = new Background.Task(this::begin);

		private long pause = FIRST_PAUSE;

		private Repetition(List<String> keys, BooleanSupplier task) {
			this.keys = keys;
			this.task = task;
		}

		private void begin() {
			String server = StoreThreads.this.servers.apply(this.keys);
			StoreThreads.this.attempts.execute((task) -> StoreThreads.this.execute(server, Server::repetitions, task),
					this::attempt);
		}

		private void attempt() {
			boolean done = StoreThreads.this.generation.get() != this.generation;
			try {
				done = done || this.task.getAsBoolean();
			}
			finally {
				if (!done) {
					StoreThreads.this.background.schedule(this.next, this.pause);
					this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
				}
			}
		}

	}

}
