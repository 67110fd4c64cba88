package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.params.RestoreParams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Queues in Redis: who gets a lock next, and who is told of it.
 */
class RedisQueueTests extends AbstractRedisLockStoreTests {

	private final List<RedisLockStore> listening = new ArrayList<>();

	/**
	 * Return what an instance is told.
	 */
	private RecordingWakeUps listen(String instanceId) {
		RecordingWakeUps wakeUps = new RecordingWakeUps();
		RedisLockStore listening = newStore();
		this.listening.add(listening);
		listening.listen(instanceId, wakeUps);
		await().until(() -> wakeUps.all() > 0);
		return wakeUps;
	}

	@AfterEach
	void stopListening() {
		this.listening.forEach(RedisLockStore::stopListening);
	}

	@Test
	void releaseWakesTheFirstWaiterOnly() {
		RecordingWakeUps b = listen("b");
		RecordingWakeUps c = listen("c");
		HoldId held = hold("a:1");
		claim("b:1", 0, "b:1#1");
		claim("c:1", 0, "c:1#1");
		this.store.release(held);
		await().until(() -> !b.woken().isEmpty());
		assertThat(c.woken()).isEmpty();
		this.store.withdraw(claimOf("b:1", 0, "b:1#1"), Duration.ZERO);
		await().until(() -> !c.woken().isEmpty());
		assertThat(b.woken()).containsExactly("k");
		assertThat(c.woken()).containsExactly("k");
	}

	/**
	 * Redis tells nobody that a lease has run out.
	 */
	@Test
	void releaseOfALockWhoseLeaseHasRunOutWakesTheFirstWaiter() {
		RecordingWakeUps b = listen("b");
		HoldId held = hold("a:1");
		claim("b:1", 0, "b:1#1");
		this.jedis.del(LOCK);
		assertThat(this.store.release(held)).isFalse();
		await().until(() -> b.woken().contains("k"));
	}

	@Test
	void waiterWhoseDeadlineHasPassedIsNotWoken() {
		RecordingWakeUps c = listen("c");
		HoldId held = hold("a:1");
		claim("dead:1", 0, "dead:1#1");
		claim("c:1", 0, "c:1#1");
		this.jedis.zadd(LOCK + ":deadlines", 1, "dead:1#1");
		this.store.release(held);
		await().until(() -> c.woken().contains("k"));
		assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("c:1#1");
	}

	@Test
	void placesFurtherBehindAreKeptForLonger() {
		HoldId held = hold("a:0");
		Duration first = Duration.ofMinutes(1);
		for (int i = 1; i <= 12; i++) {
			String owner = "b:" + i;
			Claim waiter = Claims.exclusive("k", owner, LEASE, i, new QueuePlace(owner + "#1", first));
			assertThat(((Denied) this.store.acquire(waiter)).times()).isEqualTo(Math.min(i, 10));
			assertThat(kept(owner + "#1")).isBetween(0.9 * Math.min(i, 10), 0.1 + Math.min(i, 10));
		}
		this.store.release(held);
		assertThat(this.store.acquire(Claims.exclusive("k", "b:1", LEASE, 1, new QueuePlace("b:1#1", first))))
			.isInstanceOf(Granted.class);
		Claim next = Claims.exclusive("k", "b:2", LEASE, 2, new QueuePlace("b:2#1", first));
		assertThat(((Denied) this.store.acquire(next)).times()).isOne();
		assertThat(kept("b:2#1")).isBetween(0.9, 1.1);
		assertThat(this.jedis.pttl(LOCK + ":deadlines")).isGreaterThan(first.multipliedBy(9).toMillis());
	}

	/**
	 * Return for how many minutes a place is kept.
	 */
	private double kept(String place) {
		double now = Long.parseLong(this.jedis.time().get(0));
		return (this.jedis.zscore(LOCK + ":deadlines", place) / 1000 - now) / 60;
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lockThatIsItsFormerHoldersAgainIsFreedByTheReleaseOrTheHandOverThatFindsIt(boolean waitedFor) {
		TestInstance instance = newInstance();
		LockHandle handle = handedOnInVain(instance);
		CompletableFuture<LockHandle> waiter = waitedFor ? waiter(instance, LEASE.plusSeconds(2)) : null;
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		if (waiter != null) {
			assertThat(Threads.join(waiter).isHeld()).isTrue();
		}
		else {
			await().atMost(LEASE.dividedBy(2)).until(() -> !this.jedis.exists(LOCK));
		}
	}

	/**
	 * Return the handle of a lock that was handed on, which Redis does not know any more:
	 * as after a fail-over to a server that had not received it yet.
	 */
	private LockHandle handedOnInVain(TestInstance instance) {
		LockHandle former = instance.template().acquire("k");
		CompletableFuture<LockHandle> waiter = waiter(instance, LEASE.plusSeconds(1));
		byte[] before = this.jedis.dump(LOCK);
		former.release();
		LockHandle handle = Threads.join(waiter);
		this.jedis.restore(LOCK, LEASE.toMillis(), before, RestoreParams.restoreParams().replace());
		return handle;
	}

	/**
	 * With a lease of its own, a waiter gets the lock from Redis only.
	 */
	private static CompletableFuture<LockHandle> waiter(TestInstance instance, Duration lease) {
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> instance.template().acquire(LockRequest.of("k").lease(lease).ownedByHandle()));
		await().until(() -> instance.registry().status().waiting() == 1);
		return waiter;
	}

	@Test
	void waitersOfAnInstanceShareOneSubscription() {
		TestInstance instance = newInstance();
		String channel = "holdfast:wake:" + instance.id();
		assertThat(instance.store().subscription()).isEqualTo(Subscription.IDLE);
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		List<HoldId> held = new ArrayList<>();
		for (String key : List.of("x", "y", "z")) {
			held.add(new HoldId(key, "a:1", tokenOf(this.store.acquire(Claims.exclusive(key, "a:1", LEASE, 0, null)))));
			waiters.add(Threads.start(() -> instance.template().acquire(key)));
		}
		await().until(() -> instance.store().subscription() == Subscription.ACTIVE);
		assertThat(this.jedis.pubsubNumSub(channel)).containsEntry(channel, 1L);
		held.forEach((hold) -> this.store.release(hold));
		waiters.forEach((waiter) -> assertThat(Threads.join(waiter).isHeld()).isTrue());
		instance.close();
		await().until(() -> this.jedis.pubsubNumSub(channel).get(channel) == 0);
		assertThat(instance.store().subscription()).isEqualTo(Subscription.IDLE);
	}

}
