package io.holdfast.benchmarks.startup;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.RedisServer;

import org.springframework.util.FileSystemUtils;

/**
 * A command of its own: what the starter adds to the start of an application that has the
 * sample's dependencies, and how long the first lock takes in a JVM that has just
 * started. What is compared is started in turn.
 */
public final class StartUp {

	static final String MEASURED = "measured";

	private static final Path SAMPLE = Path.of("sample-app/target");

	private static final String LIBRARIES = "BOOT-INF/lib/";

	private static final List<Contender> FIRST = List.of(Contender.HOLDFAST_JEDIS, Contender.SPRING_INTEGRATION_PUB_SUB,
			Contender.REDISSON);

	private final RedisServer redis;

	private final Path libraries;

	private StartUp(RedisServer redis, Path libraries) {
		this.redis = redis;
		this.libraries = libraries;
	}

	/**
	 * Measure and print.
	 * @param arguments {@code --starts=10} is how often to start each
	 * @throws Exception when something could not be started
	 */
	public static void main(String[] arguments) throws Exception {
		int starts = Arrays.stream(arguments)
			.filter((argument) -> argument.startsWith("--starts="))
			.mapToInt((argument) -> Integer.parseInt(argument.substring("--starts=".length())))
			.findFirst()
			.orElse(10);
		Path libraries = Files.createTempDirectory("holdfast-startup");
		try (RedisServer redis = RedisServer.open(Integer.getInteger("redis.port", 0))) {
			unpack(libraries);
			StartUp startUp = new StartUp(redis, libraries);
			startUp.compareStarts(starts);
			startUp.compareFirstLocks(starts);
		}
		finally {
			FileSystemUtils.deleteRecursively(libraries);
		}
	}

	private static void unpack(Path libraries) throws IOException {
		try (JarFile sample = new JarFile(sample().toFile())) {
			for (JarEntry entry : sample.stream().filter((found) -> found.getName().endsWith(".jar")).toList()) {
				Files.copy(sample.getInputStream(entry),
						libraries.resolve(entry.getName().substring(LIBRARIES.length())));
			}
		}
	}

	private static Path sample() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(SAMPLE, "holdfast-sample-app-*.jar")) {
			for (Path jar : jars) {
				return jar;
			}
		}
		throw new IllegalStateException("No sample in %s: run 'mvn -DskipTests package' first".formatted(SAMPLE));
	}

	private void compareStarts(int starts) throws IOException, InterruptedException {
		Map<Boolean, List<long[]>> measured = new LinkedHashMap<>();
		for (int i = 0; i <= starts; i++) {
			for (boolean with : new boolean[] { false, true }) {
				long[] figures = start(classPath(with), StartedApplication.class,
						List.of("--spring.data.redis.port=" + this.redis.port(), "--server.port=0",
								"--spring.datasource.url=jdbc:h2:mem:start", "--spring.main.banner-mode=off"));
				// The first of each reads files that the system does not have in memory
				if (i > 0) {
					measured.computeIfAbsent(with, (key) -> new ArrayList<>()).add(figures);
				}
			}
		}
		System.out.printf("Start of an application, median of %d%n", starts);
		print("without the starter", measured.get(false));
		print("with the starter", measured.get(true));
	}

	private static void print(String title, List<long[]> figures) {
		System.out.printf(
				"%-20s %,d ms of CPU, %,d of these on the main thread, in %,d ms; %d threads, %,d KB of heap, %,d classes%n",
				title, median(figures, 0), median(figures, 1), median(figures, 2), median(figures, 3),
				median(figures, 4), median(figures, 5));
	}

	private void compareFirstLocks(int starts) throws IOException, InterruptedException {
		Map<Contender, List<long[]>> measured = new LinkedHashMap<>();
		for (int i = 0; i < starts; i++) {
			for (Contender contender : FIRST) {
				this.redis.flush();
				measured.computeIfAbsent(contender, (key) -> new ArrayList<>())
					.add(start(System.getProperty("java.class.path"), FirstLock.class,
							List.of(contender.id(), Integer.toString(this.redis.port()))));
			}
		}
		System.out.printf("Acquire and release in a JVM that has just started, median of %d%n", starts);
		measured.forEach((contender, figures) -> System.out.printf("%-28s first %,d µs, second %,d µs%n",
				contender.label(), median(figures, 0), median(figures, 1)));
	}

	private String classPath(boolean withStarter) {
		String own = Path.of(StartUp.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
		try (var jars = Files.list(this.libraries)) {
			return own + File.pathSeparator
					+ jars.filter((jar) -> withStarter || !jar.getFileName().toString().startsWith("holdfast-"))
						.sorted()
						.map(Path::toString)
						.collect(Collectors.joining(File.pathSeparator));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static long[] start(String classPath, Class<?> main, List<String> arguments)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m",
						"-XX:+UseSerialGC", "-classpath", classPath, main.getName()));
		command.addAll(arguments);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		List<String> lines = process.inputReader().lines().toList();
		process.waitFor();
		String line = lines.stream()
			.filter((found) -> found.startsWith(MEASURED))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Nothing was measured:\n" + String.join("\n", lines)));
		return Arrays.stream(line.substring(MEASURED.length()).trim().split(" ")).mapToLong(Long::parseLong).toArray();
	}

	private static long median(List<long[]> figures, int column) {
		long[] sorted = figures.stream().mapToLong((row) -> row[column]).sorted().toArray();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

}
