package io.holdfast.faults.shutdown;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.faults.WorkerJvm;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of locks, and of those who wait for some, when an application is ended:
 * with Jedis and with Lettuce where these make a difference, each of which is an
 * application of its own.
 */
@Tag("any-jdk")
class ShutdownTests {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final HttpClient browser = HttpClient.newHttpClient();

	private static final List<String> CLIENTS = List.of("jedis", "lettuce");

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final JedisConnectionFactory connections = Connections.jedis(redis.port());

	private static final TestInstance other = new TestInstance(
			(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE));

	private static List<LockHandle> busy;

	/**
	 * Another instance has what is waited for.
	 */
	@BeforeAll
	static void holdWhatIsWaitedFor() {
		busy = Stream.of("busy", "fair-busy", "annotated-busy", "async-busy")
			.flatMap((kind) -> Crew.keys(kind, 20))
			.map((key) -> other.template().acquire(LockRequest.of(key).ownedByHandle()))
			.toList();
	}

	@AfterAll
	static void giveBack() {
		busy.forEach(LockHandle::release);
		other.close();
		connections.destroy();
	}

	@AfterEach
	void forget() {
		redis.with((jedis) -> left(jedis).forEach(jedis::del));
	}

	@Test
	void whatRunsEndsUnderItsLocksAndWaitersAreSentAway() {
		try (Applications applications = crews(CLIENTS, "finishing", "crew.more=1s", "crew.answers=200",
				"holdfast.lease=15s")) {
			applications.terminate();
			applications.afterTheEnd((application, answers) -> {
				assertThat(answers).filteredOn((answer) -> answer.endsWith(": held to the end")).hasSize(Crew.SIZE);
				assertThat(answers).filteredOn((answer) -> answer.startsWith("waiter for "))
					.hasSize(Crew.SIZE)
					.allMatch((answer) -> answer.contains("LockUnavailableException"));
				assertThat(answers).containsSubsequence("after locks: no more locks, 0 in Redis",
						"before connections: no more locks, 0 in Redis");
				assertThat(application.log()).noneMatch((line) -> line.contains("Lost lock"));
			});
		}
		assertThatNothingIsLeft();
	}

	@Test
	void locksAreTakenFromWhatRunsForTooLongAndThatIsTold() {
		try (Applications applications = crews(List.of("lettuce"), "overlong", "crew.more=1h", "crew.answers=0",
				"holdfast.shutdown-grace=1s")) {
			applications.terminate();
			applications.afterTheEnd((application, answers) -> {
				List<String> lost = answers.stream().filter((answer) -> answer.endsWith(": lost")).toList();
				assertThat(lost).doesNotHaveDuplicates().hasSize(Crew.SIZE);
				assertThat(answers).containsSubsequence(lost.get(Crew.SIZE - 1),
						"after locks: no more locks, 0 in Redis", "before connections: no more locks, 0 in Redis");
				assertThat(application.log()).filteredOn((line) -> line.contains("Lost lock"))
					.hasSize(Crew.SIZE)
					.allMatch((line) -> line.contains(" WARN ") && line.contains("shutting down"));
			});
		}
		assertThatNothingIsLeft();
	}

	@Test
	void redisThatHangsDoesNotKeepApplicationsFromEnding() {
		try (Applications applications = crews(CLIENTS, "hanging", "crew.more=0s", "crew.answers=0",
				"crew.witnessed=false", "holdfast.shutdown-grace=0s")) {
			redis.freeze();
			applications.terminate();
			applications.afterTheEnd((application, answers) -> {
			});
		}
		finally {
			redis.unfreeze();
		}
		redis.with((jedis) -> assertThat(left(jedis)).isNotEmpty().allMatch((key) -> jedis.pttl(key) != -1));
	}

	@Test
	void webServerEndsBeforeLocksAndRequestsDoNotWaitForLong() {
		try (Applications applications = new Applications(List.of("jedis"), WebApplication.class, "web", redis.port(),
				"server.port=0", "holdfast.shutdown-grace=2s", "holdfast.lease=6s")) {
			List<CompletableFuture<String>> held = new ArrayList<>();
			List<CompletableFuture<String>> lasting = new ArrayList<>();
			List<CompletableFuture<String>> sentAway = new ArrayList<>();
			WorkerJvm application = applications.applications.get("jedis");
			application.tell("port");
			String port = application.next();
			held.add(get(port, "/short?key=jedis-short"));
			await().atMost(LIMIT).until(() -> "200 1 hold, 0 wait".equals(get(port, "/busy").join()));
			held.add(get(port, "/wait?key=jedis-short"));
			sentAway.add(get(port, "/wait?key=busy-0"));
			lasting.add(get(port, "/long?key=jedis-long"));
			await().atMost(LIMIT).until(() -> "200 2 hold, 2 wait".equals(get(port, "/busy").join()));
			applications.terminate();
			assertThat(held).allSatisfy((page) -> assertThat(page.join()).isEqualTo("200 held"));
			assertThat(lasting).allSatisfy(
					(page) -> assertThat(page.join()).isEqualTo("200 held, after others were sent away, another held"));
			assertThat(sentAway)
				.allSatisfy((page) -> assertThat(page.join()).startsWith("503 ").contains("shutting down"));
			applications.afterTheEnd((ended, answers) -> assertThat(answers).containsExactly(
					"after web server: locks to be had, 0 in Redis", "after locks: no more locks, 0 in Redis",
					"before connections: no more locks, 0 in Redis"));
		}
		assertThatNothingIsLeft();
	}

	private static CompletableFuture<String> get(String port, String path) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.timeout(Duration.ofSeconds(30))
			.build();
		return browser.sendAsync(request, HttpResponse.BodyHandlers.ofString())
			.thenApply((response) -> response.statusCode() + " " + response.body());
	}

	private static Applications crews(List<String> clients, String test, String... properties) {
		// All ask at once when they start, which may take long
		String[] patient = Stream
			.concat(Stream.of("spring.main.web-application-type=none", "holdfast.wait-for=1m"), Stream.of(properties))
			.toArray(String[]::new);
		return new Applications(clients, Crew.class, test, redis.port(), patient);
	}

	/**
	 * Claims whose requests had no answer in time are denied for another while.
	 */
	private static void assertThatNothingIsLeft() {
		try (Jedis jedis = redis.connect()) {
			assertThat(left(jedis)).allMatch((key) -> key.endsWith(":deadlines"));
			await().atMost(LIMIT).until(() -> left(jedis).isEmpty());
		}
	}

	/**
	 * Return what is in Redis, but for what the other instance holds, tokens, releases,
	 * and who the instances are.
	 */
	private static Set<String> left(Jedis jedis) {
		Set<String> keys = jedis.keys("*");
		keys.removeIf((key) -> key.endsWith(":token") || key.endsWith(":released")
				|| key.startsWith("holdfast:instance:") || key.matches("holdfast:\\{.*busy-[0-9]+}"));
		return keys;
	}

}
