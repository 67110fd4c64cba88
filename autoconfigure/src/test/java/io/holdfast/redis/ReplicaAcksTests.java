package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Grants that count once a replica has them.
 */
class ReplicaAcksTests {

	private final RedisReplication redis = new RedisReplication(1);

	@BeforeEach
	void start() {
		this.redis.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::lettuce);
	}

	private void withInstance(RedisConnectionFactory connections, Consumer<TestInstance> action) throws Exception {
		try (TestInstance instance = new TestInstance((id) -> new RedisLockStore(connections, "holdfast", id,
				Duration.ofHours(1), new ReplicaAcks(1, Duration.ofMillis(200))))) {
			action.accept(instance);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void grantsAreOnTheReplica(IntFunction<RedisConnectionFactory> client) throws Exception {
		withInstance(client.apply(this.redis.master().port()), (instance) -> {
			for (int i = 0; i < 20; i++) {
				String key = "k" + i;
				try (LockHandle lock = instance.template().acquire(key);
						Jedis replica = this.redis.replica(0).connect()) {
					assertThat(replica.hget("holdfast:{" + key + "}", "token"))
						.isEqualTo(Long.toString(lock.fencingToken()));
				}
			}
		});
	}

	@ParameterizedTest
	@MethodSource("clients")
	void withoutTheReplicaNothingIsGrantedAndNoLockIsLeft(IntFunction<RedisConnectionFactory> client) throws Exception {
		this.redis.replica(0).kill();
		withInstance(client.apply(this.redis.master().port()), (instance) -> {
			for (LockRequest request : List.of(LockRequest.of("k").waitFor(Duration.ZERO),
					LockRequest.of("k").waitFor(Duration.ofMillis(700)))) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(request))
					.withMessageContaining("0 of 1 replicas confirmed the grant within 200 ms")
					.withRootCauseInstanceOf(LockStoreException.class);
			}
			try (Jedis master = this.redis.master().connect()) {
				await().untilAsserted(() -> assertThat(master.keys("*")).containsExactly("holdfast:{k}:token"));
			}
			assertThat(instance.registry().held()).isEmpty();
		});
	}

	@Test
	void waitersGetTheLockOneAfterTheOther() throws Exception {
		withInstance(Connections.jedis(this.redis.master().port()), (instance) -> {
			LockHandle first = instance.template().acquire("k");
			List<CompletableFuture<Long>> waiters = Stream.generate(() -> Threads.start(() -> {
				try (LockHandle lock = instance.template().acquire("k")) {
					return lock.fencingToken();
				}
			})).limit(4).toList();
			await().until(() -> instance.registry().status().waiting() == 4);
			first.release();
			assertThat(waiters.stream().map(Threads::join)).doesNotHaveDuplicates()
				.allMatch((token) -> token > first.fencingToken());
		});
	}

}
