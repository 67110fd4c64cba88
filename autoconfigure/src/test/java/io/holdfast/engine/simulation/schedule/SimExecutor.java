package io.holdfast.engine.simulation.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;

import io.holdfast.engine.EngineTimer;

/**
 * Threads of a host that do things now or later, and stay when there is nothing to do.
 */
final class SimExecutor implements EngineTimer {

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
		schedule(command, 0);
	}

	@Override
	public EngineTimer.Timing schedule(Runnable command, long nanos) {
		Task task = new Task(command, this.scheduler.now() + this.host.realTime(nanos), ++this.sequence);
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

	/**
	 * Something to do.
	 */
	private final class Task implements EngineTimer.Timing, Comparable<Task> {

		private final Runnable command;

		private final long due;

		private final long number;

		private Task(Runnable command, long due, long number) {
			this.command = command;
			this.due = due;
			this.number = number;
		}

		private void run() {
			try {
				this.command.run();
			}
			catch (SimulationEnd end) {
				throw end;
			}
			catch (Throwable failure) {
				SimExecutor.this.scheduler.uncaught(SimThread.current(), failure);
			}
		}

		@Override
		public void cancel() {
			SimExecutor.this.tasks.remove(this);
		}

		@Override
		public int compareTo(Task other) {
			int byTime = Long.compare(this.due, other.due);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

}
