package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.AbstractOutOfMemoryTests;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStores;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One Redis that is out of memory.
 */
class JedisOutOfMemoryTests extends AbstractOutOfMemoryTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis(redis);

	@Override
	protected List<RedisProcess> servers() {
		return List.of(redis);
	}

	private static Claim claim(String key, String owner, boolean fair) {
		return new Claim(List.of(key), owner, 1, LockMode.EXCLUSIVE, fair, LONG, new QueuePlace(owner + "#1", LONG));
	}

	/**
	 * From the template to the request that Redis refuses.
	 */
	@Test
	void asksForAFreeLockThroughFewFrames() {
		useUpMemory();
		List<String> frames = new ArrayList<>();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ZERO)))
			.satisfies((ex) -> Arrays.stream(NestedExceptionUtils.getMostSpecificCause(ex).getStackTrace())
				.map((frame) -> frame.getClassName() + "." + frame.getMethodName())
				.filter((frame) -> frame.startsWith("io.holdfast."))
				.forEach(frames::add));
		assertThat(frames.subList(0, frames.indexOf("io.holdfast.LockTemplate.acquire") + 1))
			.contains("io.holdfast.redis.RedisLockStore.acquire")
			.hasSizeLessThanOrEqualTo(14);
	}

	@Test
	void lockIsHandedOnToTheNextInLine() {
		LockHandle lock = this.one.template().acquire(request());
		CompletableFuture<Long> waiter = waiter();
		useUpMemory();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Threads.join(waiter)).isGreaterThan(lock.fencingToken());
		assertThat(this.one.events().released()).containsOnly(ReleaseResult.RELEASED);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void placesAreKeptAndNoneIsTaken(boolean fair) {
		LockStore store = this.one.store();
		String key = this.one.id();
		String deadlines = "holdfast:{" + key + "}:deadlines";
		store.acquire(claim(key, "a:1", false));
		store.acquire(claim(key, "b:1", fair));
		store.acquire(claim(key, "c:1", fair));
		try (Jedis jedis = redis.connect()) {
			Set<String> before = jedis.keys("holdfast:{" + key + "}*");
			double deadline = jedis.zincrby(deadlines, -1_000, "b:1#1");
			useUpMemory();
			before.forEach((name) -> jedis.pexpire(name, LONG.toMillis() / 2));
			assertThat(store.acquire(claim(key, "b:1", fair))).isInstanceOf(Denied.class);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.acquire(claim(key, "d:1", fair)))
				.withMessageContaining("OOM");
			assertThat(jedis.zrange("holdfast:{" + key + "}:queue", 0, -1)).containsExactly("b:1#1", "c:1#1");
			assertThat(jedis.zscore(deadlines, "b:1#1")).isGreaterThan(deadline);
			assertThat(jedis.keys("holdfast:{" + key + "}*")).isEqualTo(before);
			assertThat(jedis.pttl(deadlines)).isGreaterThan(LONG.toMillis() / 2);
		}
	}

}
