package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A fail-over to a server that has lost everything and whose clock is behind.
 */
class TokensBehindTests extends AbstractNetworkTests {

	private static final RedisProcess server = new RedisProcess();

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis(server);

	@Test
	void waiterWhoseClaimHasUsedGreaterTokensGetsTheLock() {
		Instant ahead = Instant.now().plus(Duration.ofHours(1));
		try (Jedis redis = server.connect()) {
			redis.set("holdfast:{" + this.key + "}:token", Long.toString(ahead.toEpochMilli() * 1_000));
			LockHandle first = this.one.template().acquire(this.key);
			CompletableFuture<LockHandle> waiter = Threads
				.start(() -> this.one.template().acquire(request().ownedByHandle()));
			awaitWaiting(1);
			this.network.delayRequest(Operation.TRANSFER, redis::flushAll);
			first.release();
			LockHandle second = Threads.join(waiter);
			assertThat(second.fencingToken()).isLessThan(first.fencingToken());
			assertThat(this.network.calls(Operation.TRANSFER)).isLessThanOrEqualTo(3);
			assertThat(isFree()).isFalse();
			assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		}
	}

}
