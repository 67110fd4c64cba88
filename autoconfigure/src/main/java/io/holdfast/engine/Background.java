package io.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs the engine's background work: short tasks at their time, on one thread, and others
 * on executors. Whatever a task throws is logged; a task at its time runs again a moment
 * later.
 *
 * @since 0.1.0
 */
public final class Background {

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final Logger logger = LoggerFactory.getLogger(Background.class);

	private final FailureDigest failures = new FailureDigest(logger, Level.ERROR, "A task in the background has failed",
			"{} more tasks in the background have failed, the last: {}");

	private final EngineRuntime runtime;

	private final String threadName;

	private volatile EngineTimer timer;

	public Background(EngineRuntime runtime, String threadName) {
		this.runtime = runtime;
		this.threadName = threadName;
		this.timer = runtime.newTimer(threadName, 1);
	}

	public EngineRuntime runtime() {
		return this.runtime;
	}

	Executor newExecutor(String name, int threads) {
		return guarded(this.runtime.newExecutor(name, threads));
	}

	// What it runs is no part of the request that its caller serves
	Executor newUntracedExecutor(String name, int threads) {
		return guarded(this.runtime.newTimer(name, threads));
	}

	private Executor guarded(Executor executor) {
		return (task) -> execute(executor, task);
	}

	private void execute(Executor executor, Runnable task) {
		executor.execute(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				this.failures.note(ex);
			}
		});
	}

	/**
	 * Run a task later; if it is scheduled already, at this time instead.
	 */
	public void schedule(Task task, long nanos) {
		synchronized (task) {
			Run run = new Run(task);
			run.timing = this.timer.schedule(run, nanos);
			cancel(task);
			task.next = run;
		}
	}

	void scheduleAt(Task task, long due) {
		schedule(task, due - this.runtime.nanos());
	}

	/**
	 * Do not run a task that is scheduled.
	 */
	public void cancel(Task task) {
		synchronized (task) {
			Run run = task.next;
			task.next = null;
			if (run != null && run.timing != null) {
				run.timing.cancel();
			}
		}
	}

	/**
	 * Forget what is scheduled.
	 */
	public void stop() {
		EngineTimer before = this.timer;
		this.timer = this.runtime.newTimer(this.threadName, 1);
		before.shutdown();
	}

	public static final class Task {

		private final Runnable action;

		// Guarded by the task
		private @Nullable Run next;

		public Task(Runnable action) {
			this.action = action;
		}

	}

	// The task counts as scheduled until its run has ended, unless the run schedules it
	// anew
	private final class Run implements Runnable {

		private final Task task;

		private EngineTimer.@Nullable Timing timing;

		private Run(Task task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (!isNext()) {
				return;
			}
			try {
				this.task.action.run();
				ended();
			}
			catch (Throwable ex) {
				repeat();
				Background.this.failures.note(ex);
			}
		}

		private boolean isNext() {
			synchronized (this.task) {
				return this.task.next == this;
			}
		}

		private void ended() {
			synchronized (this.task) {
				this.task.next = (this.task.next == this) ? null : this.task.next;
			}
		}

		private void repeat() {
			synchronized (this.task) {
				if (this.task.next == this) {
					schedule(this.task, RETRY_NANOS);
				}
			}
		}

	}

}
