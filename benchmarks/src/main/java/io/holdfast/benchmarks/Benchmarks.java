package io.holdfast.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.benchmarks.Server.Stats;

/**
 * The command: measures all contenders in all scenarios, each in JVMs of its own, and
 * prints one table.
 */
public final class Benchmarks {

	private static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseParallelGC");

	private final Table table = new Table();

	private final List<String> failures = new ArrayList<>();

	private final Map<String, String> options;

	private final Server server;

	private Benchmarks(Map<String, String> options, Server server) {
		this.options = options;
		this.server = server;
	}

	/**
	 * Run the benchmarks. Ends with 1 when something could not be measured or a lock did
	 * not exclude.
	 * @param arguments see {@code docs/benchmarks.md}
	 * @throws Exception when the server cannot be used
	 */
	public static void main(String[] arguments) throws Exception {
		Benchmarks benchmarks = run(arguments);
		System.out.println(benchmarks.table);
		benchmarks.failures.forEach((failure) -> System.err.println("FAILED " + failure));
		System.exit(benchmarks.failures.isEmpty() ? 0 : 1);
	}

	static Benchmarks run(String... arguments) {
		Map<String, String> options = Stream.of(arguments)
			.map((argument) -> argument.split("="))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		try (Server server = isInDatabase(options) ? new PostgresServer() : new RedisServer()) {
			Benchmarks benchmarks = new Benchmarks(options, server);
			for (Scenario scenario : benchmarks.chosen("scenarios", Scenario.class)) {
				benchmarks.measure(scenario);
			}
			return benchmarks;
		}
	}

	private static boolean isInDatabase(Map<String, String> options) {
		return "postgresql".equals(options.get("server"));
	}

	Table table() {
		return this.table;
	}

	List<String> failures() {
		return this.failures;
	}

	private <E extends Enum<E>> List<E> chosen(String option, Class<E> type) {
		String names = this.options.get(option);
		return (names == null) ? List.of(type.getEnumConstants())
				: Stream.of(names.split(","))
					.map((name) -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT).replace('-', '_')))
					.toList();
	}

	private double option(String name, double otherwise) {
		return Double.parseDouble(this.options.getOrDefault(name, Double.toString(otherwise)));
	}

	private static Duration seconds(double seconds) {
		return Duration.ofMillis(Math.round(1000 * seconds));
	}

	/**
	 * Measure all contenders in turn, one round after the other, so that a machine that
	 * gets slower does so for all.
	 */
	private void measure(Scenario scenario) {
		Map<Contender, List<Map<String, Double>>> measured = new LinkedHashMap<>();
		for (int round = 0; round < option("rounds", scenario.isOnce() ? 10 : 1); round++) {
			for (Contender contender : chosen("contenders", Contender.class)) {
				if (scenario.suits(contender) && contender.isInDatabase() == isInDatabase(this.options)) {
					try {
						measured.computeIfAbsent(contender, (key) -> new ArrayList<>())
							.add(measure(scenario, contender));
					}
					catch (Exception ex) {
						this.failures.add("%s, %s: %s".formatted(scenario.title(), contender.label(), ex));
					}
				}
			}
		}
		measured.forEach((contender, rounds) -> {
			if (!rounds.isEmpty()) {
				this.table.add(scenario, contender, rounds);
				System.out.println(this.table.last());
			}
		});
	}

	private Map<String, Double> measure(Scenario scenario, Contender contender) throws Exception {
		Path memory = Files.createTempFile("holdfast-benchmarks", ".memory");
		List<WorkerProcess> workers = new ArrayList<>();
		try {
			this.server.clear();
			for (int i = 0; i < scenario.jvms(); i++) {
				workers.add(start(scenario, contender, i, memory));
			}
			for (WorkerProcess worker : workers) {
				worker.await(Worker.READY);
			}
			Window window = window(scenario);
			workers.forEach((worker) -> worker.open(window));
			window.awaitStart();
			Stats before = this.server.stats();
			window.awaitEnd();
			Stats during = this.server.stats().since(before);
			List<Measured> results = new ArrayList<>();
			for (WorkerProcess worker : workers) {
				results.add(Measured.parse(worker.await(Worker.RESULT)));
			}
			check(scenario, contender, results, new SharedMemory(memory));
			return figures(results, during, window.seconds());
		}
		finally {
			for (WorkerProcess worker : workers) {
				worker.close();
			}
			Files.delete(memory);
		}
	}

	private WorkerProcess start(Scenario scenario, Contender contender, int index, Path memory) throws IOException {
		int port = this.server.port();
		if (scenario == Scenario.START) {
			return new WorkerProcess(List.of("-Xmx512m", "-XX:+UseSerialGC"),
					sampleClassPath(contender != Contender.BARE), StartedApplication.class,
					List.of("--spring.data.redis.port=" + port, "--server.port=0",
							"--spring.datasource.url=jdbc:h2:mem:start", "--spring.main.banner-mode=off"));
		}
		return new WorkerProcess(JVM_OPTIONS, System.getProperty("java.class.path"), Worker.class,
				List.of(scenario.name(), contender.name(), Integer.toString(port), Integer.toString(index),
						Integer.toString((scenario == Scenario.E) ? held() : 0), memory.toString()));
	}

	private int held() {
		return (int) option("held", Scenario.HELD);
	}

	/**
	 * JVMs that share the processors compile more slowly, so warming up takes longer the
	 * more there are. What only renews does so little that the JVM still compiles it
	 * after a usual time.
	 */
	private Window window(Scenario scenario) {
		Duration warmUp = seconds(option("warmup", 20)).multipliedBy(scenario.jvms());
		Duration length = seconds(option("measure", 5));
		return switch (scenario) {
			case FIRST, START -> Window.after(Duration.ZERO, Duration.ZERO);
			case E -> Window.after(warmUp.multipliedBy(4), length.multipliedBy(12));
			default -> Window.after(warmUp, length);
		};
	}

	private void check(Scenario scenario, Contender contender, List<Measured> results, SharedMemory memory) {
		long operations = results.stream().mapToLong(Measured::allOperations).sum();
		if (scenario.isOnOneKey() && memory.count() != operations) {
			throw new IllegalStateException("NOT EXCLUSIVE: acquired %d times, but the counter it guards says %d"
				.formatted(operations, memory.count()));
		}
		if (scenario == Scenario.E) {
			long left = this.server.count(IntStream.range(0, held())
				.mapToObj((i) -> contender.redisKey(Worker.heldKey(i)))
				.toArray(String[]::new));
			if (left != held()) {
				throw new IllegalStateException("Of %d held locks, %d are left".formatted(held(), left));
			}
		}
	}

	private static Map<String, Double> figures(List<Measured> results, Stats server, double seconds) {
		Measured all = results.stream().reduce(Measured.nothing(), Measured::plus);
		double operations = all.operations();
		Map<String, Double> figures = new LinkedHashMap<>();
		figures.put("ops/s", operations / seconds);
		figures.put("p50 µs", latency(all, 50));
		figures.put("p99 µs", latency(all, 99));
		figures.put("client CPU µs/op", all.cpuNanos() / 1e3 / operations);
		figures.put("server CPU µs/op", server.cpuSeconds() * 1e6 / operations);
		figures.put("commands/op", server.commands() / operations);
		figures.put("scripts/op", server.scripts() / operations);
		figures.put("scripts µs/op", server.scriptMicros() / operations);
		figures.put("worst/best JVM", (double) results.stream().mapToLong(Measured::operations).min().orElse(0)
				/ results.stream().mapToLong(Measured::operations).max().orElse(0));
		figures.put("time held", all.heldNanos() / 1e9 / seconds);
		return figures;
	}

	private static double latency(Measured measured, double percentile) {
		return (measured.latencies().getTotalCount() == 0) ? Double.NaN
				: measured.latencies().getValueAtPercentile(percentile) / 1e3;
	}

	/**
	 * Return the class path of an application like the sample, whose jars are in its own.
	 */
	private static String sampleClassPath(boolean withHoldfast) {
		Path libraries = Path.of("benchmarks/target/sample");
		try {
			if (Files.notExists(libraries)) {
				unpackSample(Files.createDirectories(libraries));
			}
			String own = Benchmarks.class.getProtectionDomain().getCodeSource().getLocation().getPath();
			try (Stream<Path> jars = Files.list(libraries)) {
				return own + File.pathSeparator
						+ jars.filter((jar) -> withHoldfast || !jar.getFileName().toString().startsWith("holdfast-"))
							.map(Path::toString)
							.sorted()
							.collect(Collectors.joining(File.pathSeparator));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void unpackSample(Path libraries) throws IOException {
		try (JarFile sample = new JarFile("sample-app/target/holdfast-sample-app-0.1.0-SNAPSHOT.jar")) {
			for (JarEntry jar : sample.stream().filter((entry) -> entry.getName().endsWith(".jar")).toList()) {
				Files.copy(sample.getInputStream(jar), libraries.resolve(Path.of(jar.getName()).getFileName()));
			}
		}
	}

}
