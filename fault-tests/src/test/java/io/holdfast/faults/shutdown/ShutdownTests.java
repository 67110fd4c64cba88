package io.holdfast.faults.shutdown;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.faults.harness.ApplicationJvm;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of locks, and of those who wait for some, when an application is ended.
 */
@Tag("any-jdk")
class ShutdownTests {

	private static final int SIGTERM = 128 + 15;

	private static final Duration START = Duration.ofSeconds(60);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static JedisConnectionFactory connections;

	private static HoldfastLockRegistry other;

	private static Path directory;

	/**
	 * Another instance has what the application waits for.
	 */
	@BeforeAll
	static void holdWhatIsWaitedFor() throws IOException {
		directory = Path.of(System.getProperty("faults.directory"), "ShutdownTests");
		Files.createDirectories(directory);
		connections = Connections.jedis(redis.port());
		String id = UUID.randomUUID().toString();
		other = new HoldfastLockRegistry(new RedisLockStore(connections, "holdfast", id, Duration.ofHours(1)),
				new EngineSettings(id, Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, false, OnLost.THROW,
						16),
				List::of);
		LockTemplate locks = new LockTemplate(other);
		Stream.of("busy", "fair-busy", "annotated-busy", "async-busy")
			.flatMap((kind) -> Crew.keys(kind, 20))
			.forEach((key) -> locks.acquire(LockRequest.of(key).ownedByHandle()));
	}

	@AfterAll
	static void close() {
		other.close();
		connections.destroy();
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void whatRunsEndsUnderItsLocksAndWaitersAreSentAway(String client) {
		try (ApplicationJvm application = start(client, "crew.more=1s", "crew.answers=200", "crew.witnessed=true")) {
			application.terminate();
			assertThat(application.awaitExit(LIMIT)).isEqualTo(SIGTERM);
			System.out.println(application.answers());
		}
		System.out.println(keys());
	}

	private static ApplicationJvm start(String client, String... properties) {
		List<String> all = new ArrayList<>(List.of("spring.data.redis.client-type=" + client,
				"spring.data.redis.port=" + redis.port(), "holdfast.lease=2s"));
		all.addAll(List.of(properties));
		ApplicationJvm application = new ApplicationJvm(client + "-" + UUID.randomUUID(), CrewApplication.Main.class,
				all, Map.of(), directory);
		application.await("ready", START);
		return application;
	}

	private static Set<String> keys() {
		try (Jedis jedis = redis.connect()) {
			return jedis.keys("*");
		}
	}

}
