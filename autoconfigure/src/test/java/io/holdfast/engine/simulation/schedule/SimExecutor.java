package io.holdfast.engine.simulation.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Threads of a host that do things now or later, and stay when there is nothing to do.
 */
final class SimExecutor extends AbstractExecutorService implements ScheduledExecutorService {

	private final Scheduler scheduler;

	private final Host host;

	private final String name;

	private final int mostWorkers;

	private final PriorityQueue<Task> tasks = new PriorityQueue<>();

	private final Deque<Thread> idle = new ArrayDeque<>();

	private int workers;

	private boolean shutdown;

	private long sequence;

	SimExecutor(Scheduler scheduler, Host host, String name, int mostWorkers) {
		this.scheduler = scheduler;
		this.host = host;
		this.name = name;
		this.mostWorkers = mostWorkers;
	}

	@Override
	public void execute(Runnable command) {
		schedule(command, 0, TimeUnit.NANOSECONDS);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
		Task task = new Task(command, this.scheduler.now() + this.host.realTime(unit.toNanos(delay)), ++this.sequence);
		if (this.shutdown) {
			return task;
		}
		this.tasks.add(task);
		Thread worker = this.idle.poll();
		if (worker != null) {
			this.scheduler.wake(worker);
		}
		else if (this.workers < this.mostWorkers) {
			this.workers++;
			this.scheduler.newThread(this.host, this.name, this::work).start();
		}
		this.scheduler.pass();
		return task;
	}

	private void work() {
		while (true) {
			Task first = this.tasks.peek();
			if (first != null && first.due <= this.scheduler.now()) {
				this.tasks.remove();
				first.run();
				Thread.interrupted();
			}
			else {
				this.idle.add(Thread.currentThread());
				this.scheduler.sleep((first != null) ? first.due : Scheduler.NEVER);
				this.idle.remove(Thread.currentThread());
			}
		}
	}

	@Override
	public void shutdown() {
		this.shutdown = true;
		this.tasks.clear();
	}

	@Override
	public List<Runnable> shutdownNow() {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean isShutdown() {
		return this.shutdown;
	}

	@Override
	public boolean isTerminated() {
		return false;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Something to do.
	 */
	private final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {

		private final long due;

		private final long number;

		private Task(Runnable command, long due, long number) {
			super(command, null);
			this.due = due;
			this.number = number;
		}

		@Override
		protected void setException(Throwable failure) {
			if (failure instanceof SimulationEnd end) {
				throw end;
			}
			SimExecutor.this.scheduler.uncaught(SimThread.current(), failure);
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			SimExecutor.this.tasks.remove(this);
			return super.cancel(mayInterruptIfRunning);
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(this.due - SimExecutor.this.scheduler.now(), TimeUnit.NANOSECONDS);
		}

		@Override
		public int compareTo(Delayed other) {
			Task task = (Task) other;
			int byTime = Long.compare(this.due, task.due);
			return (byTime != 0) ? byTime : Long.compare(this.number, task.number);
		}

	}

}
