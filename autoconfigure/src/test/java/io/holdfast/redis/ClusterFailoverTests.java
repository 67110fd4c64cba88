package io.holdfast.redis;

import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks when a replica takes the place of a master of a Cluster, with the clients'
 * default settings.
 */
@Tag("any-jdk")
@Tag("slow")
class ClusterFailoverTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final RedisCluster cluster = RedisCluster.withReplicas("--cluster-node-timeout", "1500");

	@BeforeEach
	void start() {
		this.cluster.start();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	static Stream<Function<RedisCluster, RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedisCluster, Connections::lettuceCluster);
	}

	/**
	 * No connection to it ends.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void masterThatHangsForGoodIsLeftOnceItIsReplaced(Function<RedisCluster, RedisConnectionFactory> client)
			throws Exception {
		RedisConnectionFactory connections = client.apply(this.cluster);
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			instance.template().acquire("k").release();
			this.cluster.nodeOf("holdfast:{k}").freeze();
			LockHandle lock = instance.template().acquire(LockRequest.of("k").waitFor(LIMIT));
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

}
