package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What instances tell each other about themselves.
 */
class InstanceAnnouncerTests {

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance one;

	private TestInstance two;

	private InstanceAnnouncer announcer;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.patientJedis(this.redis.port());
		this.one = new TestInstance((id) -> new RedisLockStore(this.connections, "holdfast", id, Duration.ofHours(24)));
		this.two = new TestInstance((id) -> new RedisLockStore(this.connections, "holdfast", id, Duration.ofHours(24)));
		this.announcer = new InstanceAnnouncer(this.one.registry(), new InstanceDetails("shop"), 0);
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.announcer.stop();
		this.one.close();
		this.two.close();
		this.connections.destroy();
	}

	private Map<String, String> announced() {
		return this.two.registry()
			.operations()
			.view()
			.announced(List.of(this.one.id()))
			.getOrDefault(this.one.id(), Map.of());
	}

	@Test
	void othersKnowTheInstanceUntilItStops() {
		this.announcer.start();
		assertThat(this.announcer.isRunning()).isTrue();
		await().untilAsserted(() -> assertThat(announced()).containsEntry("application", "shop")
			.containsEntry("pid", Long.toString(ProcessHandle.current().pid()))
			.containsKey("host"));
		this.announcer.stop();
		assertThat(this.announcer.isRunning()).isFalse();
		assertThat(announced()).isEmpty();
	}

	@Test
	void canBeStartedAgain() {
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		this.announcer.stop();
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
	}

	@Test
	void whatIsAnnouncedExpires() {
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		try (Jedis jedis = this.redis.connect()) {
			assertThat(jedis.keys("holdfast:instance:*")).singleElement()
				.satisfies((key) -> assertThat(jedis.pttl(key)).isBetween(30_000L, 60_000L));
		}
	}

	@Test
	void threadsThatHoldAreKnownSoon() {
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		Threads.call(() -> this.one.template().acquire("k"));
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(
					() -> assertThat(announced()).containsValue("test-thread").containsEntry("application", "shop"));
	}

	@Test
	void instanceListensFromTheBeginning() {
		assertThat(this.one.registry().status().subscription()).isEqualTo(Subscription.IDLE);
		this.announcer.start();
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
	}

	@Test
	void startsWithoutRedisAndAnnouncesWhenItIsThere() {
		this.redis.kill();
		this.announcer.start();
		this.redis.start();
		await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> !announced().isEmpty());
	}

	@Test
	void stopsAlthoughRedisHangs() {
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		this.redis.freeze();
		long start = System.nanoTime();
		this.announcer.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
	}

}
