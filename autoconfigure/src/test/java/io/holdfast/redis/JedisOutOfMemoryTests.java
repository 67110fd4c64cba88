package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.AbstractOutOfMemoryTests;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Yielded;
import io.holdfast.engine.LockStores;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One Redis that is out of memory.
 */
class JedisOutOfMemoryTests extends AbstractOutOfMemoryTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis(redis);

	@Override
	protected LockStores stores() {
		return stores;
	}

	@Override
	protected List<RedisProcess> servers() {
		return List.of(redis);
	}

	private static Claim claim(String key, String owner, boolean fair) {
		return new Claim(List.of(key), owner, LockMode.EXCLUSIVE, fair, false, LONG, 0,
				new QueuePlace(owner + "#1", LONG));
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

	@Test
	void waiterThatHasItsPlaceGetsTheLock() {
		LockStore store = this.one.store();
		String key = this.one.id();
		HoldId hold = new HoldId("a:1", ((Granted) store.acquire(claim(key, "a:1", false))).grants());
		assertThat(store.acquire(claim(key, "b:1", false))).isInstanceOf(Denied.class);
		useUpMemory();
		assertThat(store.release(hold, 0)).isTrue();
		assertThat(store.acquire(claim(key, "b:1", false))).isInstanceOf(Granted.class);
	}

	@Test
	void fairWaiterGoesFirstAndTheNextInLineComesBehindIt() {
		LockStore store = this.one.store();
		String key = this.one.id();
		HoldId hold = new HoldId("a:1", ((Granted) store.acquire(claim(key, "a:1", false))).grants());
		assertThat(store.acquire(claim(key, "b:1", true))).isInstanceOf(Denied.class);
		useUpMemory();
		assertThat(store.transfer(hold, claim(key, "a:2", false), false)).isEqualTo(new Yielded());
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.exists("holdfast:{" + key + "}")).isFalse();
			assertThat(jedis.zrange("holdfast:{" + key + "}:queue", 0, -1)).containsExactly("b:1#1", "a:2#1");
		}
	}

}
