package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.params.RestoreParams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Queues in Redis: who gets a lock next, and who is told of it.
 */
class RedisQueueTests extends AbstractRedisLockStoreTests {

	@Test
	void waiterGetsTokensForThoseItPassesTheLockOnTo() {
		HoldId first = hold("a:1");
		claim("b:1", 0, "b:1#1");
		claim("c:1", 0, "c:1#1");
		this.store.release(first);
		Granted granted = (Granted) claim("b:1", 0, "b:1#1");
		assertThat(granted).isEqualTo(new Granted(granted.hold(), tokenOf(granted) + 63, true));
		String last = Long.toString(granted.lastToken());
		assertThat(this.jedis.hget(LOCK, "last")).isEqualTo(last);
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(last);
		assertThat(this.jedis.pttl(LOCK + ":token")).isPositive();
		assertThat(claim("b:1", 0, "b:1#1")).as("repeated").isEqualTo(new Granted(granted.hold()));
	}

	@Test
	void transferThatFailsLeavesTheHoldToItsOwner() {
		HoldId held = hold("a:1");
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		this.jedis.set(LOCK + ":token", "somebody else's");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> transfer(held, "a:2", false));
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		assertThat(this.jedis.pttl(LOCK)).isBetween(1L, LEASE.toMillis());
		assertThat(this.store.release(held)).isTrue();
	}

	@Test
	void releaseWakesTheFirstWaiterOnly() {
		RecordingWakeUps b = new RecordingWakeUps();
		RecordingWakeUps c = new RecordingWakeUps();
		RedisLockStore storeOfB = newStore();
		RedisLockStore storeOfC = newStore();
		try {
			listen(storeOfB, "b", b);
			listen(storeOfC, "c", c);
			HoldId held = hold("a:1");
			claim("b:1", 0, "b:1#1");
			claim("c:1", 0, "c:1#1");
			this.store.release(held);
			await().untilAsserted(() -> assertThat(b.woken()).containsExactly("k"));
			this.store.withdraw(claimOf("b:1", 0, "b:1#1"), Duration.ZERO);
			await().untilAsserted(() -> assertThat(c.woken()).containsExactly("k"));
			hold("a:1");
			this.store.withdraw(claimOf("c:1", 0, "c:1#1"), Duration.ZERO);
			await().during(Duration.ofMillis(200)).until(() -> b.woken().size() == 1 && c.woken().size() == 1);
		}
		finally {
			storeOfB.stopListening();
			storeOfC.stopListening();
		}
	}

	/**
	 * Redis tells nobody that a lease has run out.
	 */
	@Test
	void releaseOfALockWhoseLeaseHasRunOutWakesTheFirstWaiter() {
		RecordingWakeUps b = new RecordingWakeUps();
		RedisLockStore storeOfB = newStore();
		try {
			listen(storeOfB, "b", b);
			HoldId held = hold("a:1");
			claim("b:1", 0, "b:1#1");
			this.jedis.del(LOCK);
			assertThat(this.store.release(held)).isFalse();
			await().untilAsserted(() -> assertThat(b.woken()).containsExactly("k"));
		}
		finally {
			storeOfB.stopListening();
		}
	}

	@Test
	void waiterWhoseDeadlineHasPassedIsNotWoken() {
		RecordingWakeUps c = new RecordingWakeUps();
		RedisLockStore storeOfC = newStore();
		try {
			listen(storeOfC, "c", c);
			HoldId held = hold("a:1");
			this.store
				.acquire(Claims.exclusive("k", "dead:1", LEASE, 0, new QueuePlace("dead:1#1", Duration.ofMillis(500))));
			this.store.acquire(Claims.exclusive("k", "c:1", LEASE, 0, new QueuePlace("c:1#1", Duration.ofSeconds(60))));
			await().until(() -> {
				Double deadline = this.jedis.zscore(LOCK + ":deadlines", "dead:1#1");
				return deadline == null || deadline.longValue() < Long.parseLong(this.jedis.time().get(0)) * 1000
						+ Long.parseLong(this.jedis.time().get(1)) / 1000;
			});
			this.store.release(held);
			await().untilAsserted(() -> assertThat(c.woken()).containsExactly("k"));
			assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("c:1#1");
		}
		finally {
			storeOfC.stopListening();
		}
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

	private static void listen(RedisLockStore store, String instanceId, RecordingWakeUps wakeUps) {
		store.listen(instanceId, wakeUps);
		await().until(() -> wakeUps.all() > 0);
	}

}
