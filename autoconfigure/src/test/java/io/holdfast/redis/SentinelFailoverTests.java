package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A fail-over while locks are held.
 */
@Tag("any-jdk")
@Tag("slow")
class SentinelFailoverTests {

	private static final Duration LEASE = Duration.ofSeconds(20);

	private final RedisSentinels redis = new RedisSentinels();

	@BeforeEach
	void start() {
		this.redis.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	static Stream<Function<RedisSentinels, RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedisSentinel, Connections::lettuceSentinel);
	}

	/**
	 * With Lettuce, the connection over which locks are released may be lost meanwhile.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void grantsThatReplicasConfirmComeFromTheNewMaster(Function<RedisSentinels, RedisConnectionFactory> client)
			throws Exception {
		RedisConnectionFactory connections = client.apply(this.redis);
		try (TestInstance instance = new TestInstance((id) -> new RedisLockStore(connections, "holdfast",
				Duration.ofHours(1), new ReplicaAcks(1, Duration.ofMillis(500))))) {
			instance.template().acquire("before").release();
			int before = this.redis.currentMaster();
			RedisProcess old = this.redis.currentMasterProcess();
			old.freeze();
			int now = this.redis.awaitFailover(before);
			CompletableFuture<LockHandle> waiter = Threads
				.start(() -> instance.template().acquire(LockRequest.of("k").waitFor(Duration.ofSeconds(50))));
			try (Jedis master = new Jedis("127.0.0.1", now)) {
				await().atMost(LEASE).until(() -> master.exists("holdfast:{k}:token"));
				assertThat(waiter).isNotDone();
				old.unfreeze();
				LockHandle lock = Threads.join(waiter);
				assertThat(master.hget("holdfast:{k}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
				assertThat(lock.release()).isNotEqualTo(ReleaseResult.LOST);
				await().until(() -> !master.exists("holdfast:{k}"));
			}
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * No connection to it ends.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void masterThatHangsForGoodIsLeftOnceItIsReplaced(Function<RedisSentinels, RedisConnectionFactory> client)
			throws Exception {
		RedisConnectionFactory connections = client.apply(this.redis);
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			instance.template().acquire("before").release();
			int before = this.redis.currentMaster();
			this.redis.currentMasterProcess().freeze();
			int now = this.redis.awaitFailover(before);
			LockHandle lock = instance.template().acquire(LockRequest.of("k").waitFor(Duration.ofSeconds(20)));
			try (Jedis master = new Jedis("127.0.0.1", now)) {
				assertThat(master.hget("holdfast:{k}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
			}
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

}
