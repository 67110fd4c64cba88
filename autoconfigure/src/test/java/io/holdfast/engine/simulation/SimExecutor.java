package io.holdfast.engine.simulation;

import java.util.ArrayDeque;
import java.util.Comparator;
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

	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.comparingLong(Task::due).thenComparingLong(Task::number));

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
		if (!this.shutdown) {
			this.tasks.add(task);
			findWorker();
			this.scheduler.pass();
		}
		return () -> this.tasks.remove(task);
	}

	private void findWorker() {
		Thread worker = this.idle.poll();
		if (worker != null) {
			this.scheduler.wake(worker);
		}
		else if (this.workers < this.mostWorkers) {
			this.workers++;
			this.scheduler.newThread(this.host, this.name, this::work).start();
		}
	}

	private void work() {
		while (true) {
			Task first = this.tasks.peek();
			if (first != null && first.due <= this.scheduler.now()) {
				this.tasks.remove();
				run(first.command);
				Thread.interrupted();
			}
			else {
				this.idle.add(Thread.currentThread());
				this.scheduler.sleep((first != null) ? first.due : Scheduler.NEVER);
				this.idle.remove(Thread.currentThread());
			}
		}
	}

	private void run(Runnable command) {
		try {
			command.run();
		}
		catch (SimThread.SimulationEnd end) {
			throw end;
		}
		catch (Throwable failure) {
			this.scheduler.uncaught(SimThread.current(), failure);
		}
	}

	@Override
	public void shutdown() {
		this.shutdown = true;
		this.tasks.clear();
	}

	private record Task(Runnable command, long due, long number) {

	}

}
