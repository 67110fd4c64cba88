package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Client;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks when a master that hangs is replaced: no connection to it ends.
 */
@Tag("any-jdk")
@Tag("slow")
class FailoverTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	/**
	 * With Lettuce, the connection over which locks are released may be lost meanwhile.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	@Tag("long")
	void grantsThatReplicasConfirmComeFromTheNewMaster(Client client) {
		try (RedisSentinels servers = new RedisSentinels()) {
			servers.start();
			RedisStores.use(client.connect(servers), new ReplicaAcks(1, Duration.ofMillis(500)), (instance) -> {
				instance.template().acquire("before").release();
				RedisProcess old = servers.currentMasterProcess();
				old.freeze();
				int now = servers.awaitFailover(old.port());
				CompletableFuture<LockHandle> waiter = Threads
					.start(() -> instance.template().acquire(LockRequest.of("k").waitFor(LIMIT)));
				try (Jedis master = new Jedis("127.0.0.1", now)) {
					await().until(() -> master.exists("holdfast:{k}:token"));
					assertThat(waiter).isNotDone();
					old.unfreeze();
					LockHandle lock = Threads.join(waiter);
					assertThat(master.hget("holdfast:{k}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
					assertThat(lock.release()).isNotEqualTo(ReleaseResult.LOST);
					await().until(() -> !master.exists("holdfast:{k}"));
				}
			});
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void masterOfSentinelsThatHangsForGoodIsLeftOnceItIsReplaced(Client client) {
		try (RedisSentinels servers = new RedisSentinels()) {
			servers.start();
			RedisStores.use(client.connect(servers), (instance) -> {
				instance.template().acquire("before").release();
				RedisProcess old = servers.currentMasterProcess();
				old.freeze();
				int now = servers.awaitFailover(old.port());
				LockHandle lock = instance.template().acquire(LockRequest.of("k").waitFor(LIMIT));
				try (Jedis master = new Jedis("127.0.0.1", now)) {
					assertThat(master.hget("holdfast:{k}", "token")).isEqualTo(Long.toString(lock.fencingToken()));
				}
				assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

	/**
	 * With the clients' default settings.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void masterOfAClusterThatHangsForGoodIsLeftOnceItIsReplaced(Client client) {
		try (RedisCluster cluster = RedisCluster.withReplicas("--cluster-node-timeout", "1500")) {
			cluster.start();
			RedisStores.use(client.connect(cluster), (instance) -> {
				instance.template().acquire("k").release();
				cluster.nodeOf("holdfast:{k}").freeze();
				LockHandle lock = instance.template().acquire(LockRequest.of("k").waitFor(LIMIT));
				assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

}
