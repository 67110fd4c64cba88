package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.sun.management.OperatingSystemMXBean;

/**
 * The program of a JVM in which something is measured. It says {@code READY}, is told its
 * window, answers with {@code RESULT} and what it has measured, and stays as it is until
 * it is told to end.
 */
public final class Worker {

	static final String READY = "READY";

	static final String RESULT = "RESULT ";

	private static final int LIMIT_SECONDS = 60;

	private final Scenario scenario;

	private final LockClient client;

	private final int index;

	private final int held;

	private final SharedMemory memory;

	private Worker(String... arguments) throws IOException {
		this.scenario = Scenario.valueOf(arguments[0]);
		this.client = Contender.valueOf(arguments[1])
			.open(new ClientSettings(Integer.parseInt(arguments[2]), this.scenario.threads(),
					this.scenario == Scenario.E));
		this.index = Integer.parseInt(arguments[3]);
		this.held = Integer.parseInt(arguments[4]);
		this.memory = new SharedMemory(Path.of(arguments[5]));
	}

	/**
	 * Run a worker.
	 * @param arguments scenario, contender, port of the server, number of this worker,
	 * how many locks to hold, file of the shared memory
	 */
	public static void main(String[] arguments) {
		int exitCode = 1;
		try {
			Worker worker = new Worker(arguments);
			worker.holdMany();
			answer(worker::measure);
			exitCode = 0;
		}
		catch (Exception | Error ex) {
			ex.printStackTrace();
		}
		// At once: nobody is interested in a tidy end, and some clients leave threads
		// behind
		System.out.flush();
		Runtime.getRuntime().halt(exitCode);
	}

	static void answer(Measuring measuring) throws Exception {
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
		System.out.println(READY);
		String window = commands.readLine();
		if (window != null) {
			System.out.println(RESULT + measuring.measure(Window.parse(window)));
			commands.readLine();
		}
	}

	static String heldKey(int number) {
		return "held-" + number;
	}

	private void holdMany() throws InterruptedException {
		for (int i = 0; i < this.held; i++) {
			this.client.acquire(heldKey(i));
		}
	}

	private Measured measure(Window window) throws Exception {
		List<FutureTask<Measured>> loops = IntStream.range(0, this.scenario.threads())
			.mapToObj((thread) -> new Loop(this.scenario, this.client, key(thread), this.index, window, this.memory))
			.map(FutureTask::new)
			.toList();
		loops.forEach((loop) -> new Thread(loop, "benchmark").start());
		window.awaitStart();
		long before = cpuNanos();
		window.awaitEnd();
		long cpuNanos = cpuNanos() - before;
		Measured sum = new Measured(Math.round(this.held * window.seconds()), 0, cpuNanos, 0, Measured.histogram());
		for (FutureTask<Measured> loop : loops) {
			sum = sum.plus(loop.get(LIMIT_SECONDS, TimeUnit.SECONDS));
		}
		return sum;
	}

	private String key(int thread) {
		return this.scenario.isOnOneKey() ? "one" : "own-%d-%d".formatted(this.index, thread);
	}

	static long cpuNanos() {
		return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
	}

	/**
	 * Measures when it is told to.
	 */
	@FunctionalInterface
	interface Measuring {

		Measured measure(Window window) throws Exception;

	}

}
