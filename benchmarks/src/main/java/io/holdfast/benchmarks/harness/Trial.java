package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.worker.SharedCounter;
import io.holdfast.benchmarks.worker.Window;
import io.holdfast.benchmarks.worker.WorkerResult;
import io.holdfast.benchmarks.worker.WorkerTask;
import io.holdfast.benchmarks.worker.Workload;

/**
 * One measurement: starts the workers, lets them measure at the same time, asks Redis
 * what it did meanwhile, and checks that the lock was one.
 */
final class Trial {

	private static final Set<Workload> COUNTED = EnumSet.of(Workload.ONE_KEY, Workload.SECTION, Workload.HAND_OVER);

	private final RedisServer redis;

	private final Settings settings;

	private final Scenario scenario;

	private final Workload workload;

	private final Contender contender;

	Trial(RedisServer redis, Settings settings, Scenario scenario, Workload workload, Contender contender) {
		this.redis = redis;
		this.settings = settings;
		this.scenario = scenario;
		this.workload = workload;
		this.contender = contender;
	}

	/**
	 * Measure.
	 * @throws NotExclusiveException when the lock did not exclude
	 * @throws IllegalStateException when a worker did not come to an end
	 */
	Measurement run(int round) throws IOException, InterruptedException {
		this.redis.flush();
		Path counter = SharedCounter.createFile();
		List<WorkerProcess> workers = new ArrayList<>();
		try {
			for (int i = 0; i < this.scenario.jvms(); i++) {
				workers.add(WorkerProcess.start(task(i, counter), this.settings.jvmOptions()));
			}
			return measure(workers, SharedCounter.open(counter), round);
		}
		finally {
			for (WorkerProcess worker : workers) {
				worker.close();
			}
			Files.delete(counter);
		}
	}

	private WorkerTask task(int index, Path counter) {
		return new WorkerTask(this.contender, this.workload, this.redis.port(), index, this.scenario.threads(),
				this.settings.heldKeys(), counter);
	}

	private Measurement measure(List<WorkerProcess> workers, SharedCounter counter, int round)
			throws InterruptedException {
		for (WorkerProcess worker : workers) {
			worker.awaitReady();
		}
		Window window = Window.after(warmUp(), length());
		workers.forEach((worker) -> worker.open(window));
		window.awaitStart();
		RedisStats before = this.redis.stats();
		window.awaitEnd();
		RedisStats during = this.redis.stats().since(before);
		List<WorkerResult> results = new ArrayList<>();
		for (WorkerProcess worker : workers) {
			results.add(worker.awaitResult());
		}
		checkExclusion(results, counter);
		Figures figures = new Figures(results, during, window);
		Measurement measurement = new Measurement(this.scenario, this.contender.label(), round,
				figures.of(this.workload));
		return (this.workload == Workload.HELD) ? measurement.with(Map.of(Figure.KEYS_LEFT, (double) keysLeft()))
				: measurement;
	}

	/**
	 * JVMs that share the processors compile more slowly, so this grows with their
	 * number. What only renews does so little that the JVM still compiles it after a
	 * usual time.
	 */
	private Duration warmUp() {
		Duration usual = this.settings.warmUp().multipliedBy(this.scenario.jvms());
		return (this.workload == Workload.HELD) ? usual.plus(this.settings.measureHeld()) : usual;
	}

	private Duration length() {
		return (this.workload == Workload.HELD) ? this.settings.measureHeld() : this.settings.measure();
	}

	private void checkExclusion(List<WorkerResult> results, SharedCounter counter) {
		long operations = results.stream().mapToLong(WorkerResult::allOperations).sum();
		if (COUNTED.contains(this.workload) && counter.get() != operations) {
			throw new NotExclusiveException("%s was acquired %d times, but the counter it guards says %d"
				.formatted(this.contender.label(), operations, counter.get()));
		}
	}

	private long keysLeft() {
		return this.redis.countExisting(IntStream.range(0, this.settings.heldKeys())
			.mapToObj((i) -> this.contender.redisKey(WorkerTask.heldKey(i)))
			.toList());
	}

}
