package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What instances tell each other about themselves.
 */
@Tag("slow")
class InstanceAnnouncerTests {

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance one;

	private TestInstance two;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.patientJedis(this.redis.port());
		this.two = new TestInstance(this::open);
	}

	private void create(boolean fromStart) {
		InstanceAnnouncer announcer = new InstanceAnnouncer(new InstanceDetails("shop"), fromStart);
		this.one = new TestInstance(this::open, announcer);
		announcer.observe(this.one.registry().operations());
	}

	private LockStore open(String id) {
		return new RedisLockStore(this.connections, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE);
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.one.close();
		this.two.close();
		this.connections.destroy();
	}

	private Map<String, String> announced() {
		String id = this.one.registry().operations().instanceId();
		return this.two.registry().operations().view().announced(List.of(id)).getOrDefault(id, Map.of());
	}

	private Subscription subscription() {
		return this.one.registry().status().subscription();
	}

	@Test
	void instanceIsKnownFromItsFirstLockOn() {
		create(false);
		this.one.registry().start();
		assertThat(subscription()).isEqualTo(Subscription.IDLE);
		assertThat(announced()).isEmpty();
		Threads.call(() -> this.one.template().acquire("k"));
		await().untilAsserted(() -> assertThat(announced()).containsOnlyKeys("application", "host", "pid")
			.containsEntry("application", "shop")
			.containsEntry("pid", Long.toString(ProcessHandle.current().pid())));
		assertThat(subscription()).isEqualTo(Subscription.ACTIVE);
	}

	@Test
	void announcementIsProlongedWhileTheInstanceListens() {
		create(true);
		this.one.registry().start();
		await().until(() -> !announced().isEmpty());
		String hash = "holdfast:instance:" + this.one.id();
		try (Jedis jedis = this.redis.connect()) {
			assertThat(jedis.pttl(hash)).isBetween(30_000L, 60_000L);
			jedis.pexpire(hash, 20_000);
			await().until(() -> jedis.pttl(hash) > 30_000);
			jedis.del(hash);
			await("as after a restart of Redis").until(() -> !announced().isEmpty());
			this.one.registry().stop(Duration.ZERO);
			assertThat(jedis.pttl(hash)).as("time in which others may still ask").isPositive();
		}
	}

	@Test
	void instanceThatIsStartedAgainIsKnownUnderItsNewId() {
		create(true);
		this.one.registry().start();
		await().until(() -> !announced().isEmpty());
		this.one.registry().stop(Duration.ZERO);
		assertThat(subscription()).isEqualTo(Subscription.IDLE);
		this.one.registry().start();
		await().until(() -> !announced().isEmpty());
	}

	@Test
	void startsWithoutRedisAndAnnouncesWhenItIsThere() {
		create(true);
		this.redis.kill();
		this.one.registry().start();
		this.redis.start();
		await().ignoreExceptions().until(() -> !announced().isEmpty());
	}

}
