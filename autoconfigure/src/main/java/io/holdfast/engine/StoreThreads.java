package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

	private static final int REQUESTS_AT_ONCE = 4;

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Function<List<String>, String> servers;

	private final Background background;

	private final PerServer requests = new PerServer(REQUESTS_AT_ONCE);

	// Apart, so that what is repeated in an outage does not delay callers
	private final PerServer repetitions = new PerServer(1);

	private final AtomicInteger forgotten = new AtomicInteger();

	public StoreThreads(Function<List<String>, String> servers, Background background) {
		this.servers = servers;
		this.background = background;
	}

	public void execute(List<String> keys, Runnable task) {
		this.requests.execute(this.servers.apply(keys), task);
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
	 * Wait until what was to be repeated by now has been attempted.
	 */
	public void awaitAttempts(Duration atMost) {
		Tally underWay = new Tally(this.background.runtime());
		this.repetitions.servers().forEach((server) -> {
			underWay.begin();
			this.repetitions.execute(server, underWay::end);
		});
		underWay.awaitNone(atMost);
	}

	private final class PerServer {

		private final Map<String, Used> executors = new ConcurrentHashMap<>();

		private final int threads;

		private PerServer(int threads) {
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
					: new Used(StoreThreads.this.background.newExecutor(NAME, this.threads), new AtomicInteger());
			used.underWay().incrementAndGet();
			return used;
		}

		// The masters of a Cluster may get other addresses again and again
		private void forgetUnused() {
			servers().forEach((server) -> this.executors.computeIfPresent(server,
					(name, used) -> (used.underWay().get() > 0) ? used : null));
		}

		Set<String> servers() {
			return this.executors.keySet();
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
			StoreThreads.this.repetitions.execute(server, this::attempt);
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
