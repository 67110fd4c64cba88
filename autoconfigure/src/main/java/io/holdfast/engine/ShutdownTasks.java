package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Runs the last requests of a shutdown, each once and many at a time: one without an
 * answer does not delay the others. Ends after a limited time, however long the store's
 * client would wait.
 *
 * @since 0.1.0
 */
public final class ShutdownTasks {

	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(2);

	private static final Duration LONGEST = Duration.ofSeconds(10);

	// A store that answers gets this much more time for each task
	private static final Duration FOR_EACH = Duration.ofMillis(1);

	private static final Duration MORE_THREADS_AFTER = Duration.ofMillis(100);

	// While answers come
	private static final int USUAL_THREADS = 8;

	private static final int MOST_THREADS = 256;

	private final AtomicInteger answers = new AtomicInteger();

	private final EngineRuntime runtime;

	private final Executor executor;

	private final long silence;

	private int threads;

	private volatile long lastAnswer;

	private long end;

	public ShutdownTasks(EngineRuntime runtime) {
		this(runtime, LONGEST_SILENCE, LONGEST);
	}

	ShutdownTasks(EngineRuntime runtime, Duration silence, Duration longest) {
		this.runtime = runtime;
		this.executor = runtime.newUnlimitedExecutor("holdfast-store");
		this.silence = silence.toNanos();
		this.lastAnswer = runtime.nanos();
		this.end = this.lastAnswer + longest.toNanos();
	}

	/**
	 * Run tasks as far as there is time. An interrupt does not end this.
	 * @param tasks return whether the store has answered
	 */
	public void run(Collection<BooleanSupplier> tasks) {
		this.end += FOR_EACH.multipliedBy(tasks.size()).toNanos();
		if (isOver()) {
			return;
		}
		Queue<BooleanSupplier> left = new ConcurrentLinkedQueue<>(tasks);
		Tally underWay = new Tally(this.runtime);
		tasks.forEach((task) -> underWay.begin());
		run(left, underWay);
		left.clear();
	}

	private void run(Queue<BooleanSupplier> left, Tally underWay) {
		boolean interrupted = Thread.interrupted();
		this.threads = 0;
		addThreads(1, left, underWay);
		while (underWay.count() > 0 && !isOver()) {
			int before = this.answers.get();
			underWay.awaitNone(MORE_THREADS_AFTER);
			interrupted |= Thread.interrupted();
			int most = (this.answers.get() == before) ? MOST_THREADS : USUAL_THREADS;
			addThreads(Math.min(Math.max(1, this.threads * 2), most), left, underWay);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	public boolean isOver() {
		long now = this.runtime.nanos();
		return now - this.lastAnswer > this.silence || now - this.end > 0;
	}

	private void addThreads(int wanted, Queue<BooleanSupplier> left, Tally underWay) {
		while (this.threads < wanted && !left.isEmpty()) {
			this.executor.execute(() -> runAll(left, underWay));
			this.threads++;
		}
	}

	private void runAll(Queue<BooleanSupplier> left, Tally underWay) {
		for (BooleanSupplier next = left.poll(); next != null; next = left.poll()) {
			try {
				if (next.getAsBoolean()) {
					this.lastAnswer = this.runtime.nanos();
					this.answers.incrementAndGet();
				}
			}
			finally {
				underWay.end();
			}
		}
	}

}
