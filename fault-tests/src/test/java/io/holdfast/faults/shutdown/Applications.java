package io.holdfast.faults.shutdown;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.holdfast.faults.WorkerJvm;
import io.holdfast.test.Signals;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with each of some Redis clients, at the same time.
 */
final class Applications implements AutoCloseable {

	private static final int SIGTERM = 128 + 15;

	final Map<String, WorkerJvm> applications = new LinkedHashMap<>();

	/**
	 * Start applications, and wait until they are ready.
	 * @param clients the Redis clients
	 * @param test what their logs are called after
	 * @param properties what is different about them
	 */
	Applications(List<String> clients, Class<?> application, String test, int redisPort, String... properties) {
		Path directory = Path.of(System.getProperty("faults.directory"), "ShutdownTests");
		for (String client : clients) {
			List<String> all = new ArrayList<>(List.of("crew.name=" + client, "spring.main.banner-mode=off",
					"spring.data.redis.client-type=" + client, "spring.data.redis.port=" + redisPort));
			all.addAll(List.of(properties));
			this.applications.put(client, new WorkerJvm(client + "-" + test, application, all, Map.of(), directory));
		}
		try {
			this.applications.values().forEach(WorkerJvm::awaitReady);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	void terminate() {
		this.applications.values().forEach((application) -> Signals.terminate(application.process()));
	}

	void afterTheEnd(BiConsumer<WorkerJvm, List<String>> check) {
		this.applications.forEach((client, application) -> {
			List<String> answers = application.awaitEnd();
			assertThat(application.process().onExit().join().exitValue()).as("Exit code of " + client)
				.isEqualTo(SIGTERM);
			assertThat(application.errors()).isEmpty();
			check.accept(application, answers);
		});
	}

	@Override
	public void close() {
		this.applications.values().forEach(WorkerJvm::close);
	}

}
