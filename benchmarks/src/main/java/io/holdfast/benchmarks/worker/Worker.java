package io.holdfast.benchmarks.worker;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.benchmarks.contender.LockClient;
import org.HdrHistogram.Histogram;

/**
 * One JVM's part in a measurement.
 */
public final class Worker implements AutoCloseable {

	private final WorkerTask task;

	private final SharedCounter counter;

	private final LockClient client;

	/**
	 * Connect, and acquire what is to be held all the time.
	 * @param task what to do
	 * @throws IOException when the shared counter cannot be opened
	 * @throws InterruptedException when interrupted
	 */
	public Worker(WorkerTask task) throws IOException, InterruptedException {
		this.task = task;
		this.counter = SharedCounter.open(task.counter());
		this.client = task.contender().open(task.clientSettings());
		if (task.workload() == Workload.HELD) {
			for (int i = 0; i < task.keys(); i++) {
				this.client.acquire(WorkerTask.heldKey(i));
			}
		}
	}

	/**
	 * Warm up until the window opens, measure until it closes, and let all threads
	 * finish.
	 * @param window when to measure
	 * @return what was measured
	 * @throws InterruptedException when interrupted
	 */
	public WorkerResult run(Window window) throws InterruptedException {
		List<Loop> loops = IntStream.range(0, this.task.threads())
			.mapToObj((thread) -> loop(this.task.key(thread), window))
			.toList();
		Crew crew = new Crew(loops);
		long cpuNanos = new ProcessCpu().during(window);
		crew.join();
		return sum(loops, cpuNanos);
	}

	private Loop loop(String key, Window window) {
		return switch (this.task.workload()) {
			case OWN_KEY -> new OwnKeyLoop(this.client, key, window);
			case ONE_KEY -> new OneKeyLoop(this.client, key, window, this.counter);
			case SECTION -> new SectionLoop(this.client, key, window, this.counter);
			case HAND_OVER -> new HandOverLoop(this.client, key, window, this.counter);
			case HELD -> throw new IllegalStateException("No thread does anything while locks are held");
		};
	}

	private static WorkerResult sum(List<Loop> loops, long cpuNanos) {
		List<WorkerResult> results = loops.stream().map(Loop::result).toList();
		Histogram latencies = Histograms.create();
		results.forEach((result) -> latencies.add(result.latencies()));
		return new WorkerResult(results.stream().mapToLong(WorkerResult::operations).sum(),
				results.stream().mapToLong(WorkerResult::allOperations).sum(), cpuNanos, latencies,
				results.stream().flatMap((result) -> result.turns().stream()).toList());
	}

	@Override
	public void close() {
		this.client.close();
	}

}
