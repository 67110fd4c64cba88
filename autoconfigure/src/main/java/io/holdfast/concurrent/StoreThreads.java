package io.holdfast.concurrent;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Threads that ask the store: some for each server, so that a server that hangs does not
 * keep others from being asked. They end when there is nothing to do.
 *
 * @since 0.1.0
 */
public final class StoreThreads {

	private static final String NAME = "holdfast-store";

	private static final int REQUESTS_AT_ONCE = 4;

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Function<List<String>, String> servers;

	private final Background background;

	private final Map<String, Executor> requests = new ConcurrentHashMap<>();

	/**
	 * Apart, so that what is repeated in an outage does not delay callers.
	 */
	private final Map<String, Executor> repetitions = new ConcurrentHashMap<>();

	/**
	 * How often all repetitions were forgotten.
	 */
	private final AtomicInteger forgotten = new AtomicInteger();

	/**
	 * Create threads.
	 * @param servers names the server that has some keys
	 * @param background does what is to be done later
	 */
	public StoreThreads(Function<List<String>, String> servers, Background background) {
		this.servers = servers;
		this.background = background;
	}

	/**
	 * Run a task that asks the store about keys for a caller.
	 * @param keys the keys
	 * @param task the task
	 */
	public void execute(List<String> keys, Runnable task) {
		this.requests
			.computeIfAbsent(this.servers.apply(keys), (server) -> this.background.newExecutor(NAME, REQUESTS_AT_ONCE))
			.execute(task);
	}

	/**
	 * Run a task about keys soon, and again at growing intervals until it says that it is
	 * done. If it throws, it is run again as well.
	 * @param keys the keys
	 * @param task returns whether it is done
	 */
	public void repeat(List<String> keys, BooleanSupplier task) {
		Executor executor = this.repetitions.computeIfAbsent(this.servers.apply(keys),
				(server) -> this.background.newExecutor(NAME, 1));
		new Repetition(executor, task).begin();
	}

	/**
	 * Forget all repetitions that are not under way.
	 */
	public void forgetRepetitions() {
		this.forgotten.incrementAndGet();
	}

	/**
	 * Wait until what was to be repeated by now has been attempted.
	 * @param atMost how long to wait
	 */
	public void awaitAttempts(Duration atMost) {
		Tally underWay = new Tally(this.background.runtime());
		this.repetitions.values().forEach((executor) -> {
			underWay.begin();
			executor.execute(underWay::end);
		});
		underWay.awaitNone(atMost);
	}

	private final class Repetition {

		private final int forgottenBefore = StoreThreads.this.forgotten.get();

		private final Executor executor;

		private final BooleanSupplier task;

		private final Background.Task next = new Background.Task(this::begin);

		private Duration pause = FIRST_PAUSE;

		private Repetition(Executor executor, BooleanSupplier task) {
			this.executor = executor;
			this.task = task;
		}

		private void begin() {
			this.executor.execute(this::attempt);
		}

		private void attempt() {
			if (StoreThreads.this.forgotten.get() != this.forgottenBefore) {
				return;
			}
			boolean done = false;
			try {
				done = this.task.getAsBoolean();
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
