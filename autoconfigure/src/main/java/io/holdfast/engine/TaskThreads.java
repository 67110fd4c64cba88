package io.holdfast.engine;

import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks at their time on a limited number of threads, which end when idle. Not an
 * executor of the JDK: tracing tools take a task given to one of those, and all that it
 * leads to, for a part of the request that the giving thread serves.
 */
final class TaskThreads implements EngineTimer {

	private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final TreeSet<Task> tasks = new TreeSet<>();

	private final ThreadFactory factory;

	private final int most;

	private int threads;

	private long scheduled;

	private long idleNanos = IDLE_NANOS;

	private boolean shutdown;

	TaskThreads(ThreadFactory factory, int most) {
		this.factory = factory;
		this.most = most;
	}

	@Override
	public void execute(Runnable task) {
		schedule(task, 0);
	}

	// If there can be no thread, nothing is scheduled
	@Override
	public synchronized EngineTimer.Timing schedule(Runnable action, long nanos) {
		Task task = new Task(action, System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2), ++this.scheduled);
		if (!this.shutdown) {
			if (this.threads < this.most) {
				start();
			}
			this.tasks.add(task);
			if (nanos <= 0 || this.tasks.first() == task) {
				notify();
			}
		}
		return task;
	}

	private void start() {
		this.factory.newThread(this::work).start();
		this.threads++;
	}

	private synchronized void cancel(Task task) {
		this.tasks.remove(task);
	}

	@Override
	public synchronized void shutdown() {
		this.shutdown = true;
		this.tasks.clear();
		endIdle();
	}

	synchronized void endIdle() {
		this.idleNanos = 0;
		notifyAll();
	}

	private void work() {
		boolean ended = false;
		try {
			for (Task task = next(); task != null; task = next()) {
				task.action.run();
				Thread.interrupted();
			}
			ended = true;
		}
		finally {
			if (!ended) {
				died();
			}
		}
	}

	private synchronized void died() {
		this.threads--;
		if (this.threads == 0 && !this.tasks.isEmpty()) {
			start();
		}
	}

	// The last thread stays while there are tasks
	private synchronized @Nullable Task next() {
		long begun = System.nanoTime();
		while (true) {
			long now = System.nanoTime();
			long untilNext = this.tasks.isEmpty() ? Long.MAX_VALUE : this.tasks.first().due - now;
			if (untilNext <= 0) {
				notify(); // for what is next
				return this.tasks.pollFirst();
			}
			boolean mayEnd = this.threads > 1 || this.tasks.isEmpty();
			long untilIdle = mayEnd ? this.idleNanos - (now - begun) : Long.MAX_VALUE;
			if (untilIdle <= 0) {
				this.threads--;
				return null;
			}
			await(Math.min(untilNext, untilIdle));
		}
	}

	private void await(long nanos) {
		try {
			TimeUnit.NANOSECONDS.timedWait(this, nanos);
		}
		catch (InterruptedException ex) {
			// asks nothing of a thread without a task
		}
	}

	private final class Task implements EngineTimer.Timing, Comparable<Task> {

		private final Runnable action;

		private final long due;

		private final long number;

		private Task(Runnable action, long due, long number) {
			this.action = action;
			this.due = due;
			this.number = number;
		}

		@Override
		public void cancel() {
			TaskThreads.this.cancel(this);
		}

		@Override
		public int compareTo(Task other) {
			int byTime = Long.compare(this.due - other.due, 0);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

}
