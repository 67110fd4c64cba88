package io.holdfast.adapters;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.test.PatientAwaits;
import io.holdfast.test.RedisProcess;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Components of Spring Integration in two JVMs, one of which dies.
 */
@Tag("slow")
@ExtendWith(PatientAwaits.class)
class IntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	/**
	 * Much longer than the wait for a lock that is released.
	 */
	private static final Duration LONG_LEASE = Duration.ofMinutes(5);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@TempDir
	private Path directory;

	private Server database;

	private final List<ApplicationProcess> processes = new ArrayList<>();

	@BeforeEach
	void createMessageStore() throws SQLException {
		this.database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", this.directory.toString())
			.start();
		new ResourceDatabasePopulator(new ClassPathResource("org/springframework/integration/jdbc/schema-h2.sql"))
			.execute(new DriverManagerDataSource(url(), "sa", ""));
	}

	@AfterEach
	void stop() {
		this.processes.forEach(ApplicationProcess::close);
		this.database.stop();
		try (Jedis jedis = redis.connect()) {
			jedis.flushAll();
		}
	}

	private String url() {
		return "jdbc:h2:tcp://localhost:%d/./messages".formatted(this.database.getPort());
	}

	private ApplicationProcess start(Duration lease, String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.addAll(List.of("--spring.data.redis.port=" + redis.port(), "--spring.datasource.url=" + url(),
				"--spring.datasource.username=sa", "--holdfast.lease=" + lease.toMillis() + "ms"));
		ApplicationProcess process = new ApplicationProcess(IntegrationApplication.class, this.directory,
				all.toArray(String[]::new));
		this.processes.add(process);
		return process;
	}

	private static void awaitWaiter(String key) {
		try (Jedis jedis = redis.connect()) {
			await().atMost(ApplicationProcess.PATIENCE)
				.until(() -> jedis.keys("holdfast:{integration:" + key + "}:queue").size() == 1);
		}
	}

	@Test
	void leaderThatIsKilledIsFollowedWithinALease() {
		ApplicationProcess leader = start(LEASE, "--leader=true");
		long token = Long.parseLong(leader.await("granted"));
		ApplicationProcess follower = start(LEASE, "--leader=true");
		awaitWaiter("reports");
		assertThat(follower.lines("granted")).isEmpty();
		leader.close();
		try (Jedis jedis = redis.connect()) {
			long latest = ServerTime.latestGrant(jedis, "holdfast:{integration:reports}");
			assertThat(Long.parseLong(follower.await("granted"))).isGreaterThan(token).isLessThan(latest);
		}
	}

	@Test
	void leaderThatStopsIsFollowedAtOnce() {
		ApplicationProcess leader = start(LONG_LEASE, "--leader=true");
		leader.await("granted");
		ApplicationProcess follower = start(LONG_LEASE, "--leader=true");
		awaitWaiter("reports");
		leader.stop();
		assertThat(leader.lines("revoked")).hasSize(1);
		follower.await("granted");
	}

	@Test
	void leaderWhoseLockIsLostIsRevoked() {
		ApplicationProcess leader = start(LONG_LEASE, "--leader=true");
		long token = Long.parseLong(leader.await("granted"));
		try (Jedis jedis = redis.connect()) {
			jedis.del("holdfast:{integration:reports}");
		}
		leader.await("revoked");
		await().until(() -> leader.lines("granted").size() == 2);
		assertThat(Long.parseLong(leader.lines("granted").get(1))).isGreaterThan(token);
	}

	@Test
	void leaderStepsDownWhileRedisDoesNotAnswer() {
		ApplicationProcess leader = start(LONG_LEASE, "--leader=true", "--spring.data.redis.timeout=500ms");
		long token = Long.parseLong(leader.await("granted"));
		redis.freeze();
		try {
			leader.await("revoked");
		}
		finally {
			redis.unfreeze();
		}
		await().until(() -> leader.lines("granted").size() == 2);
		assertThat(Long.parseLong(leader.lines("granted").get(1))).isGreaterThan(token);
	}

	@Test
	void groupIsReleasedOnceAlthoughAnAggregatorIsKilledInTheMiddle() {
		ApplicationProcess killed = start(LEASE);
		ApplicationProcess other = start(LEASE);
		killed.tell("aggregation.input one");
		killed.await("working 1");
		other.tell("aggregation.input two");
		other.await("working 2");
		killed.tell("aggregation.input stuck");
		killed.await("working stuck");
		other.tell("aggregation.input four");
		awaitWaiter("*");
		assertThat(other.lines("released")).isEmpty();
		killed.close();
		assertThat(other.await("released")).isEqualTo("[one, two, stuck, four]");
		assertThat(other.lines("working")).containsExactly("2", "4");
	}

}
