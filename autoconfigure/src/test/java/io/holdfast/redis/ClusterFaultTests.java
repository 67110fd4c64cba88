package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
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
import static org.awaitility.Awaitility.await;

/**
 * Several keys when not all masters of a Cluster can be asked.
 */
@Tag("any-jdk")
class ClusterFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private static String keyOn(RedisProcess node) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> "key-" + i)
			.filter((key) -> cluster.nodeOf("holdfast:{" + key + "}") == node)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * One after the other, all slots of the master that hangs would take longer than the
	 * leases last.
	 */
	@Test
	void locksOnHealthyMastersAreRenewedWhileAnotherHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		JedisConnectionFactory connections = Connections.jedisCluster(cluster);
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", id, Duration.ofHours(1)))) {
			Map<Boolean, List<LockHandle>> locks = IntStream.range(0, 90)
				.mapToObj((i) -> instance.template().acquire(LockRequest.of("held-" + i).lease(LEASE)))
				.collect(Collectors.partitioningBy((lock) -> isOn(frozen, lock)));
			await().until(() -> renewals(instance) >= 90);
			frozen.freeze();
			try {
				long before = renewals(instance);
				await().atMost(LIMIT).until(() -> locks.get(true).stream().noneMatch(LockHandle::isHeld));
				await().atMost(LIMIT).until(() -> renewals(instance) - before >= 3L * locks.get(false).size());
				assertThat(locks.get(false)).hasSizeGreaterThan(30).allMatch(LockHandle::isHeld);
			}
			finally {
				frozen.unfreeze();
			}
			assertThat(locks.get(false)).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		}
		finally {
			connections.destroy();
		}
	}

	private static boolean isOn(RedisProcess node, LockHandle lock) {
		return cluster.nodeOf("holdfast:{" + lock.keys().get(0) + "}") == node;
	}

	private static long renewals(TestInstance instance) {
		return instance.registry().operations().renewals().renewed();
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
