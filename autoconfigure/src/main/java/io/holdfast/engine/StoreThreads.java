package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
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

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Function<List<String>, String> servers;

	private final Background background;

	private final PerServer requests;

	// Apart, so that callers do not delay them
	private final PerServer renewals;

	// Apart, so that what is repeated in an outage does not delay callers
	private final PerServer repetitions;

	private final Tally attempts;

	private final AtomicInteger forgotten = new AtomicInteger();

	public StoreThreads(Function<List<String>, String> servers, Background background) {
		this.servers = servers;
		this.background = background;
		this.requests = new PerServer(background::newExecutor);
		this.renewals = new PerServer(background::newSharedExecutor);
		this.repetitions = new PerServer(background::newSharedExecutor);
		this.attempts = new Tally(background.runtime());
	}

	public void execute(List<String> keys, Runnable task) {
		this.requests.execute(this.servers.apply(keys), task);
	}

	void renew(String server, Runnable task) {
		this.renewals.execute(server, task);
	}

	/**
	 * Run a task soon, and again at growing intervals until it says that it is done. If
	 * it throws, it is run again as well.
	 */
	public void repeat(List<String> keys, BooleanSupplier task) {
		new Repetition(keys, task).begin();
	}

	/**
	 * Forget all repetitions that are not under way.
	 */
	public void forgetRepetitions() {
		this.forgotten.incrementAndGet();
	}

	/**
	 * Wait until no attempt is under way.
	 */
	public void awaitAttempts(Duration atMost) {
		this.attempts.awaitNone(atMost);
	}

	private static final class PerServer {

		private final Map<String, Used> executors = new ConcurrentHashMap<>();

		private final BiFunction<String, Integer, Executor> threads;

		private PerServer(BiFunction<String, Integer, Executor> threads) {
			this.threads = threads;
		}

		void execute(String server, Runnable task) {
			if (!this.executors.containsKey(server)) {
				forgetUnused();
			}
			Used used = Objects.requireNonNull(this.executors.compute(server, (name, present) -> begin(present)));
			used.executor().execute(() -> {
				try {
					task.run();
				}
				finally {
					used.underWay().decrementAndGet();
				}
			});
		}

		private Used begin(@Nullable Used present) {
			Used used = (present != null) ? present
					: new Used(this.threads.apply(NAME, REQUESTS_AT_ONCE), new AtomicInteger());
			used.underWay().incrementAndGet();
			return used;
		}

		// The masters of a Cluster may get other addresses again and again
		private void forgetUnused() {
			this.executors.keySet()
				.forEach((server) -> this.executors.computeIfPresent(server,
						(name, used) -> (used.underWay().get() > 0) ? used : null));
		}

	}

	private record Used(Executor executor, AtomicInteger underWay) {
	}

	private final class Repetition {

		private final int forgottenBefore = StoreThreads.this.forgotten.get();

		private final List<String> keys;

		private final BooleanSupplier task;

		private final Background.Task next = new Background.Task(this::begin);

		private Duration pause = FIRST_PAUSE;

		private Repetition(List<String> keys, BooleanSupplier task) {
			this.keys = keys;
			this.task = task;
		}

		private void begin() {
			String server = StoreThreads.this.servers.apply(this.keys);
			StoreThreads.this.attempts.execute((task) -> StoreThreads.this.repetitions.execute(server, task),
					this::attempt);
		}

		private void attempt() {
			boolean done = StoreThreads.this.forgotten.get() != this.forgottenBefore;
			try {
				done = done || this.task.getAsBoolean();
			}
			finally {
				if (!done) {
					StoreThreads.this.background.schedule(this.next, this.pause.toNanos());
					this.pause = longer(this.pause);
				}
			}
		}

		private static Duration longer(Duration pause) {
			Duration doubled = pause.multipliedBy(2);
			return (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
		}

	}

}
