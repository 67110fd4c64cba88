package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * Instances with connections of their own that hand a lock to each other.
 */
class WakeUpTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final List<JedisConnectionFactory> connections = new ArrayList<>();

	private final List<TestInstance> instances = new ArrayList<>();

	@BeforeEach
	void createInstances() {
		for (int i = 0; i < 2; i++) {
			JedisConnectionFactory factory = Connections.patientJedis(redis.port());
			this.connections.add(factory);
			this.instances.add(new TestInstance(
					(id) -> new RedisLockStore(factory, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE)));
		}
	}

	@AfterEach
	void closeInstances() {
		this.instances.forEach(TestInstance::close);
		this.connections.forEach(JedisConnectionFactory::destroy);
	}

	/**
	 * Far below the poll interval: it is the message that wakes.
	 */
	@Test
	void waiterOfAnotherInstanceIsWokenByTheRelease() {
		await().until(() -> medianLatency().compareTo(Duration.ofMillis(20)) < 0);
	}

	private Duration medianLatency() {
		long[] latencies = new long[20];
		for (int i = 0; i < latencies.length; i++) {
			LockHandle handle = this.instances.get(0).template().acquire("handed-over");
			CompletableFuture<Long> waiter = Threads.start(() -> {
				try (LockHandle waited = this.instances.get(1).template().acquire("handed-over")) {
					return waited.isHeld() ? System.nanoTime() : 0;
				}
			});
			await().pollInterval(Duration.ofMillis(5)).until(() -> isQueued("handed-over"));
			long released = System.nanoTime();
			handle.close();
			latencies[i] = Threads.join(waiter) - released;
		}
		Arrays.sort(latencies);
		return Duration.ofNanos(latencies[latencies.length / 2]);
	}

	private boolean isQueued(String key) {
		try (Jedis jedis = redis.connect()) {
			return jedis.exists("holdfast:{" + key + "}:queue");
		}
	}

}
