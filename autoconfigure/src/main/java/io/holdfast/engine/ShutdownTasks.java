package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * Runs the last requests of a shutdown, each once and many at a time: one without an
 * answer does not delay the others. Ends after a limited time, however long the store's
 * client would wait.
 *
 * @since 0.1.0
 */
public final class ShutdownTasks {

	private static final long LONGEST_SILENCE = Duration.ofSeconds(2).toNanos();

	private static final Duration NO_LIMIT = Duration.ofNanos(Long.MAX_VALUE);

	private static final Duration LONGEST = Duration.ofSeconds(10);

	// A store that answers gets this much more time for each task
	private static final Duration FOR_EACH = Duration.ofMillis(1);

	private static final int THREADS = 64;

	private final EngineRuntime runtime;

	private final Executor executor;

	private volatile long lastAnswer;

	private volatile long end;

	private volatile boolean begun;

	private volatile boolean over;

	public ShutdownTasks(EngineRuntime runtime) {
		this.runtime = runtime;
		this.executor = runtime.newExecutor("holdfast-store", THREADS);
	}

	/**
	 * Run tasks as far as there is time. An interrupt does not end this.
	 * @param tasks return whether the store has answered
	 */
	public void run(Collection<BooleanSupplier> tasks) {
		if (!this.begun && !tasks.isEmpty()) { // the store was asked nothing before
			this.lastAnswer = this.runtime.nanos();
			this.end = this.lastAnswer + LONGEST.toNanos();
			this.begun = true;
		}
		this.end += FOR_EACH.multipliedBy(tasks.size()).toNanos();
		Tally underWay = new Tally(this.runtime);
		tasks.forEach((task) -> underWay.execute(this.executor, () -> run(task)));
		underWay.awaitNoneUninterruptibly(NO_LIMIT, this::isOver);
	}

	private void run(BooleanSupplier task) {
		if (!isOver() && task.getAsBoolean()) {
			this.lastAnswer = this.runtime.nanos();
		}
	}

	// An answer that comes later changes nothing
	public boolean isOver() {
		long now = this.runtime.nanos();
		if (this.begun && (now - this.lastAnswer > LONGEST_SILENCE || now - this.end > 0)) {
			this.over = true;
		}
		return this.over;
	}

}
