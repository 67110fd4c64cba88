package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.holdfast.LockRequest;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is told of all instances' locks when there is not enough time for all of it.
 */
@Tag("any-jdk")
@Tag("slow")
class LocksEndpointInTimeTests {

	private static final Duration LATENCY = Duration.ofMillis(50);

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance near;

	private TestInstance far;

	private LocksEndpoint endpoint;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.jedis(this.redis.port());
		this.near = instance(this.connections);
		this.far = instance(
				DisturbedConnections.of(this.connections, (call) -> LockSupport.parkNanos(LATENCY.toNanos())));
		this.endpoint = new LocksEndpoint(this.far.registry());
	}

	private static TestInstance instance(RedisConnectionFactory connections) {
		return new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE));
	}

	@AfterEach
	void stop() {
		this.near.close();
		this.far.close();
		this.connections.destroy();
		this.redis.close();
	}

	@Test
	void whatWasFoundAmongManyKeysIsTold() {
		this.near.template().acquire(LockRequest.of(keys("lock ", 1_000)));
		try (Jedis jedis = this.redis.connect(); Pipeline pipeline = jedis.pipelined()) {
			keys("other ", 150_000).forEach((key) -> pipeline.set(key, "x"));
		}
		await().ignoreException(LockStoreException.class).untilAsserted(() -> assertThatSomeAreTold(1_000));
	}

	@Test
	void whatWasLookedAtIsTold() {
		this.near.template().acquire(LockRequest.of(keys("lock ", 1_000)));
		await().ignoreException(LockStoreException.class).untilAsserted(() -> assertThatSomeAreTold(1_000));
	}

	private void assertThatSomeAreTold(int ofHowMany) {
		long start = System.nanoTime();
		LocksDescriptor some = this.endpoint.locks(true);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(OperatorCalls.TIMEOUT);
		assertThat(some.locks()).isNotEmpty().hasSizeLessThan(ofHowMany).allSatisfy((lock) -> {
			assertThat(lock.holder().owner()).isNotNull();
			assertThat(lock.key()).startsWith("lock ");
		});
		assertThat(some.truncated()).isTrue();
	}

	private static List<String> keys(String prefix, int count) {
		return IntStream.range(0, count).mapToObj((i) -> prefix + i).toList();
	}

}
