package io.holdfast.faults.shutdown;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.holdfast.faults.harness.ApplicationJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with each of some Redis clients, at the same time.
 */
final class Applications implements AutoCloseable {

	private static final int SIGTERM = 128 + 15;

	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final Map<String, ApplicationJvm> applications = new LinkedHashMap<>();

	/**
	 * Start applications.
	 * @param clients the Redis clients
	 * @param test what their logs are called after
	 * @param properties what is different about them
	 */
	Applications(List<String> clients, Class<?> main, String test, int redisPort, String... properties) {
		try {
			Path directory = Path.of(System.getProperty("faults.directory"), "ShutdownTests");
			Files.createDirectories(directory);
			for (String client : clients) {
				List<String> all = new ArrayList<>(List.of("crew.name=" + client, "spring.main.banner-mode=off",
						"spring.data.redis.client-type=" + client, "spring.data.redis.port=" + redisPort));
				all.addAll(List.of(properties));
				this.applications.put(client, new ApplicationJvm(client + "-" + test, main, all, Map.of(), directory));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the next answer of each.
	 */
	Map<String, String> next() {
		Map<String, String> answers = new LinkedHashMap<>();
		this.applications.forEach((client, application) -> answers.put(client, application.next(START)));
		return answers;
	}

	/**
	 * Ask all to end.
	 */
	void terminate() {
		this.applications.values().forEach(ApplicationJvm::terminate);
	}

	/**
	 * Look at what each of them has had to say, when they have ended, in good order.
	 * @param check gets the application, what it is called, and its answers
	 */
	void afterTheEnd(BiConsumer<ApplicationJvm, List<String>> check) {
		this.applications.forEach((client, application) -> {
			assertThat(application.awaitExit(LIMIT)).as("Exit code of " + client).isEqualTo(SIGTERM);
			assertThat(application.errors()).isEmpty();
			check.accept(application, application.answers());
		});
	}

	@Override
	public void close() {
		this.applications.values().forEach(ApplicationJvm::close);
	}

}
