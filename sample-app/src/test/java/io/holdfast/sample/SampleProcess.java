package io.holdfast.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample as a process of its own.
 */
final class SampleProcess implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String CLASSES = Path.of("sample-app", "target", "classes").toString();

	private static final String PROCESSED_CLASSES = Path.of("sample-app", "target", "aot-classes").toString();

	private final Process process;

	private final Path output;

	private SampleProcess(Process process, Path output) {
		this.process = process;
		this.output = output;
	}

	/**
	 * Start the sample with a database in a directory and a Redis on a port.
	 */
	static SampleProcess start(Path directory, int redisPort, String... arguments) throws IOException {
		return start(List.of("-cp", System.getProperty("java.class.path")), directory, redisPort, arguments);
	}

	/**
	 * Start the sample as the build has processed it ahead of time.
	 */
	static SampleProcess startProcessed(Path directory, int redisPort, String... arguments) throws IOException {
		return start(List.of("-Dspring.aot.enabled=true", "-cp", processedClassPath()), directory, redisPort,
				arguments);
	}

	/**
	 * Start a JVM that has the options of this one, and more.
	 */
	private static SampleProcess start(List<String> options, Path directory, int redisPort, String... arguments)
			throws IOException {
		Path output = Files.createTempFile(directory, "output", ".txt");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((option) -> option.startsWith("-XX:"))
			.forEach(command::add);
		command.addAll(options);
		command.addAll(List.of(SampleApplication.class.getName(),
				"--spring.datasource.url=jdbc:h2:file:%s;AUTO_SERVER=TRUE;LOCK_TIMEOUT=10000"
					.formatted(directory.resolve("sale")),
				"--sample.redis-port=" + redisPort));
		command.addAll(List.of(arguments));
		File outputFile = output.toFile();
		return new SampleProcess(
				new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(outputFile).start(), output);
	}

	/**
	 * Return the class path with the processed copy of the sample instead of its classes.
	 */
	private static String processedClassPath() {
		String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
		List<String> processed = Arrays.stream(entries)
			.map((entry) -> entry.endsWith(CLASSES) ? entry.replace(CLASSES, PROCESSED_CLASSES) : entry)
			.toList();
		assertThat(processed).as("class path").isNotEqualTo(List.of(entries));
		return String.join(File.pathSeparator, processed);
	}

	/**
	 * Return a client once the web application on a port is there.
	 */
	RestClient awaitClient(int port) {
		// Asked again soon: a connection may be made to a socket that no thread serves
		// yet
		RestClient impatient = client(port, Duration.ofSeconds(5));
		Awaitility.await("start of the sample")
			.atMost(LIMIT)
			.ignoreExceptions()
			.failFast("The sample ended early", () -> assertThat(this.process.isAlive()).as(output()).isTrue())
			.until(() -> impatient.get().uri("/actuator/health/liveness").retrieve().toBodilessEntity(),
					(answer) -> answer.getStatusCode().is2xxSuccessful());
		return client(port, LIMIT);
	}

	private static RestClient client(int port, Duration timeout) {
		SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
		requests.setConnectTimeout(timeout);
		requests.setReadTimeout(timeout);
		return RestClient.builder().requestFactory(requests).baseUrl("http://localhost:" + port).build();
	}

	/**
	 * Return the exit code once the process has ended.
	 */
	int awaitExit() throws InterruptedException {
		if (!this.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
			throw new IllegalStateException("Still running:\n" + output());
		}
		return this.process.exitValue();
	}

	String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Stop the process, politely at first.
	 */
	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit()
			.completeOnTimeout(this.process, LIMIT.toSeconds(), TimeUnit.SECONDS)
			.thenAccept(Process::destroyForcibly)
			.join();
	}

	static RushResult run(RestClient client, String query) {
		return Objects.requireNonNull(client.post().uri("/api/sale/run?" + query).retrieve().body(RushResult.class));
	}

}
