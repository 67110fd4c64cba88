package io.holdfast.actuate;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health of locks, with Redis alive, dead, frozen, and in no condition to grant any.
 */
@Tag("slow")
class LocksHealthIndicatorTests {

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance instance;

	private LocksHealthIndicator indicator;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.jedis(this.redis.port());
		this.instance = instance(this.connections, ReplicaAcks.NONE);
		this.indicator = new LocksHealthIndicator(this.instance.registry());
	}

	private static TestInstance instance(RedisConnectionFactory connections, ReplicaAcks replicaAcks) {
		return new TestInstance((id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(24), replicaAcks));
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.instance.close();
		this.connections.destroy();
	}

	@Test
	void tellsThatLocksWorkAndHowTheyAreDoing() {
		Health idle = awaitUp(this.instance);
		assertThat(idle.getDetails()).containsEntry("instance", this.instance.id())
			.containsEntry("held", 0)
			.containsEntry("waiting", 0)
			.containsEntry("oldestHold", "none")
			.containsEntry("lastRenewal", "none");
		try (Jedis operator = this.redis.connect()) {
			assertThat(operator.dbSize()).isZero();
		}
		try (LockHandle handle = this.instance.template().acquire(LockRequest.of("k").lease(Duration.ofSeconds(6)))) {
			await().until(() -> this.instance.registry().status().lastRenewal() != null);
			Health busy = awaitUp(this.instance);
			assertThat(busy.getDetails()).containsEntry("held", 1);
			assertThat(Duration.parse((String) busy.getDetails().get("oldestHold"))).isPositive();
			assertThat(busy.getDetails().get("lastRenewal")).isNotEqualTo("none");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void isDownWithinThreeSecondsWhenRedisIsDead() {
		this.redis.kill();
		awaitDownInTime();
	}

	@Test
	void isDownWithinThreeSecondsWhenRedisHangs() {
		JedisConnectionFactory patient = Connections.patientJedis(this.redis.port());
		try (TestInstance slow = instance(patient, ReplicaAcks.NONE)) {
			this.indicator = new LocksHealthIndicator(slow.registry());
			Set<Thread> others = Threads.named("holdfast-actuator");
			await().until(() -> this.indicator.health().getStatus() == Status.UP);
			this.redis.freeze();
			awaitDownInTime();
			awaitDownInTime();
			assertThat(Threads.named("holdfast-actuator", others)).hasSize(1);
			this.redis.unfreeze();
			await().until(() -> this.indicator.health().getStatus().equals(Status.UP));
		}
		patient.destroy();
	}

	/**
	 * Why no lock is granted although Redis is there: what an operator has done, how it
	 * is undone, and what health says.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ACL SETUSER default -evalsha            | ACL SETUSER default +@all      | 'evalsha'
			ACL SETUSER default -hset               | ACL SETUSER default +@all      | can't run this command
			ACL SETUSER default -zadd               | ACL SETUSER default +@all      | can't run this command
			ACL SETUSER default -publish            | ACL SETUSER default +@all      | can't run this command
			ACL SETUSER default -@scripting         | ACL SETUSER default +@all      | NOPERM
			ACL SETUSER default resetkeys ~cache:*  | ACL SETUSER default ~*         | NOPERM
			ACL SETUSER default resetchannels       | ACL SETUSER default allchannels | channel
			CONFIG SET min-replicas-to-write 1      | CONFIG SET min-replicas-to-write 0 | NOREPLICAS
			CONFIG SET maxmemory 1                  | CONFIG SET maxmemory 0         | OOM
			REPLICAOF 127.0.0.1 1                   | REPLICAOF NO ONE               | READONLY
			""")
	void isDownWhileNoLockIsGranted(String cause, String remedy, String error) {
		LettuceConnectionFactory lettuce = Connections.lettuce(this.redis.port());
		try (Jedis operator = this.redis.connect(); TestInstance other = instance(lettuce, ReplicaAcks.NONE)) {
			send(operator, cause);
			for (TestInstance each : List.of(this.instance, other)) {
				assertDown(each, error);
			}
			send(operator, remedy);
			for (TestInstance each : List.of(this.instance, other)) {
				awaitUp(each);
			}
			await().until(() -> operator.dbSize() == 0);
		}
		finally {
			lettuce.destroy();
		}
	}

	/**
	 * Ask again where the machine was too slow for an answer in time.
	 */
	private static void assertDown(TestInstance instance, String error) {
		await().untilAsserted(() -> {
			Health health = new LocksHealthIndicator(instance.registry()).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("error")).asString().contains(error);
		});
	}

	private static Health awaitUp(TestInstance instance) {
		return await().until(() -> new LocksHealthIndicator(instance.registry()).health(),
				(health) -> health.getStatus() == Status.UP);
	}

	private static void send(Jedis operator, String command) {
		String[] words = command.split(" ");
		operator.sendCommand(Protocol.Command.valueOf(words[0]), Arrays.copyOfRange(words, 1, words.length));
	}

	@Test
	void isDownWhenTooFewReplicasConfirm() {
		try (TestInstance replicated = instance(this.connections, new ReplicaAcks(1, Duration.ofMillis(100)))) {
			assertDown(replicated, "0 of 1 replicas confirmed a write within 100 ms");
		}
	}

	@Test
	void triesEachMasterOfACluster() {
		RedisCluster cluster = new RedisCluster();
		cluster.start();
		JedisConnectionFactory jedis = (JedisConnectionFactory) Client.JEDIS.connect(cluster);
		LettuceConnectionFactory lettuce = (LettuceConnectionFactory) Client.LETTUCE.connect(cluster);
		try (cluster;
				TestInstance one = instance(jedis, ReplicaAcks.NONE);
				TestInstance other = instance(lettuce, ReplicaAcks.NONE)) {
			for (TestInstance each : List.of(one, other)) {
				awaitUp(each);
				for (RedisProcess master : cluster.nodes()) {
					try (Jedis operator = master.connect()) {
						operator.configSet("maxmemory", "1");
						assertDown(each, "OOM");
						operator.configSet("maxmemory", "0");
						awaitUp(each);
					}
				}
			}
		}
		finally {
			jedis.destroy();
			lettuce.destroy();
		}
	}

	@Test
	void asksOncePerSecondWhoeverWantsToKnow() {
		awaitUp(this.instance);
		try (Jedis operator = this.redis.connect()) {
			operator.configResetStat();
			long start = System.nanoTime();
			Stream.generate(() -> Threads.start(this.indicator::health)).limit(200).toList().forEach(Threads::join);
			long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
			assertThat(scriptsRun(operator)).isLessThanOrEqualTo(seconds + 1);
			await().untilAsserted(() -> {
				assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
				assertThat(scriptsRun(operator)).isPositive();
			});
		}
	}

	private static long scriptsRun(Jedis operator) {
		return Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
			.matcher(operator.info("commandstats"))
			.results()
			.mapToLong((calls) -> Long.parseLong(calls.group(1)))
			.sum();
	}

	@Test
	void survivesWhateverAClientThrows() {
		List<Throwable> failures = List.of(new NoClassDefFoundError("redis/clients/jedis/Missing"),
				new IllegalStateException("the pool is closed"));
		for (Throwable failure : failures) {
			RedisConnectionFactory broken = DisturbedConnections.of(this.connections, (call) -> sneakyThrow(failure));
			try (TestInstance other = instance(broken, ReplicaAcks.NONE)) {
				Health health = new LocksHealthIndicator(other.registry()).health();
				assertThat(health.getStatus()).isEqualTo(Status.DOWN);
				assertThat(health.getDetails().get("error")).asString().contains(failure.getMessage());
				assertThat(health.getDetails()).containsKeys("instance", "held");
			}
		}
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void sneakyThrow(Throwable failure) throws T {
		throw (T) failure;
	}

	private void awaitDownInTime() {
		await().untilAsserted(this::assertDownInTime);
	}

	private void assertDownInTime() {
		long start = System.nanoTime();
		Health health = this.indicator.health();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsKeys("error", "held", "waiting", "wakeUps");
	}

}
