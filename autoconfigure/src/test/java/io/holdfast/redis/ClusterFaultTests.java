package io.holdfast.redis;

import java.time.Duration;
import java.util.stream.IntStream;

import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several keys when not all masters of a Cluster can be asked.
 */
@Tag("any-jdk")
class ClusterFaultTests {

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private static String keyOn(RedisProcess node) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> "key-" + i)
			.filter((key) -> cluster.nodeOf("holdfast:{" + key + "}") == node)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void keysOfHealthyMastersAreNotKeptForThoseThatCannotBeAsked() {
		RedisProcess healthy = cluster.nodes().get(0);
		RedisProcess frozen = cluster.nodes().get(2);
		String key = keyOn(healthy);
		JedisConnectionFactory connections = Connections.jedisCluster(cluster);
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", id, Duration.ofHours(1)))) {
			instance.template().acquire(LockRequest.of(key, keyOn(frozen))).close();
			frozen.freeze();
			try {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> instance.template()
					.acquire(LockRequest.of(key, keyOn(frozen)).waitFor(Duration.ofMillis(500))));
				try (Jedis jedis = healthy.connect()) {
					assertThat(jedis.exists("holdfast:{" + key + "}")).isFalse();
					assertThat(jedis.exists("holdfast:{" + key + "}:token")).isTrue();
				}
			}
			finally {
				frozen.unfreeze();
			}
		}
		finally {
			connections.destroy();
		}
	}

}
