package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.params.RestoreParams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis, of locks that are held, waited for or kept, and what the scripts do
 * to it.
 */
class RedisLockStoreTests extends AbstractRedisLockStoreTests {

	private static final Duration SHORT = Duration.ofMillis(400);

	@Test
	void holdIsAHashWithOwnerModeTokenAndClaim() {
		try (LockHandle handle = newInstance().template().acquire("k")) {
			String owner = this.instances.get(0).id() + ":" + Thread.currentThread().getId();
			assertThat(this.jedis.hgetAll(LOCK)).containsOnlyKeys(owner, "mode", "token", "claim")
				.containsAllEntriesOf(
						Map.of(owner, "1", "mode", "exclusive", "token", Long.toString(handle.fencingToken())));
			assertThat(this.jedis.pttl(LOCK)).isBetween(25_000L, 30_000L);
			assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(Long.toString(handle.fencingToken()));
		}
		assertThat(this.jedis.keys("*")).containsExactlyInAnyOrder(LOCK + ":token", LOCK + ":released");
	}

	@Test
	void everyKeyHasAnExpiry() {
		HoldId hold = hold("a:1");
		claim("b:1", 0, "b:1#1");
		this.store.renew(List.of(twice(hold, LEASE)));
		assertThat(this.jedis.keys("*")).containsExactlyInAnyOrder(LOCK, LOCK + ":token", LOCK + ":queue",
				LOCK + ":deadlines");
		assertThat(this.jedis.keys("*")).allSatisfy((key) -> assertThat(this.jedis.pttl(key)).as(key).isPositive());
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		assertThat(this.jedis.pttl(LOCK + ":queue")).isLessThanOrEqualTo(KEPT.toMillis());
	}

	/**
	 * The first two have the same hash.
	 */
	@Test
	void contendedLockIsAskedForOnceWhateverItsKey() {
		List<String> keys = List.of("Aa", "BB", "x".repeat(300));
		keys.forEach((key) -> assertThat(this.store.acquire(Claims.exclusive(key, "a:1", LEASE, 1, null)))
			.isInstanceOf(Granted.class));
		RedisLockStore other = newStore();
		CommandCounts before = null;
		for (int i = 0; i < 3; i++) {
			keys.forEach((key) -> assertThat(other.acquire(Claims.exclusive(key, "b:1", LEASE, 1, null)))
				.isInstanceOf(Denied.class));
			before = (before != null) ? before : CommandCounts.of(this.jedis);
		}
		assertThat(CommandCounts.of(this.jedis).since(before).scripts()).isEqualTo(2 * keys.size());
	}

	@Test
	void releaseThatIsRepeatedGetsTheAnswerOfTheFirst() {
		for (boolean contended : new boolean[] { false, true }) {
			HoldId held = hold("a:1");
			if (contended) {
				claim("b:1", 0, "b:1#1");
			}
			assertThat(List.of(this.store.release(held), this.store.release(held))).containsOnly(true);
			assertThat(this.store.release(new HoldId("k", "a:2", tokenOf(held)))).isFalse();
			assertThat(this.jedis.pttl(LOCK + ":released")).isBetween(1L, 10_000L);
		}
		this.store.withdraw(claimOf("b:1", 0, "b:1#1"), Duration.ZERO);
		Claim share = new Claim(List.of("k"), "a:1", 9, LockMode.SHARED, false, LEASE, null);
		HoldId shared = ((Granted) this.store.acquire(share)).hold();
		assertThat(List.of(this.store.release(shared), this.store.release(shared))).containsOnly(true);
	}

	@Test
	void tokenGrowsEvenWhenTheClockHasGoneBack() {
		long ahead = 9_000_000_000_000_000L;
		this.jedis.set(LOCK + ":token", Long.toString(ahead));
		HoldId first = hold("a:1");
		assertThat(tokenOf(first)).isEqualTo(ahead + 1);
		HoldId second = new HoldId("k", "a:2", ahead + 2);
		assertThat(transfer(first, "a:2", false)).isEqualTo(new Granted(second, ahead + 65, false));
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(Long.toString(ahead + 65));
		this.jedis.del(LOCK + ":token");
		assertThat(transfer(second, "a:3", false)).isEqualTo(new Granted(new HoldId("k", "a:3", ahead + 66)));
	}

	private static Renewal twice(HoldId hold, Duration lease) {
		return new Renewal(hold, lease, 2, null);
	}

	@Test
	void renewalAndReentryPutOffThatTheLastTokenIsForgotten() {
		HoldId k = hold("a:1");
		this.jedis.pexpire(LOCK + ":token", LEASE.toMillis());
		this.store.renew(List.of(new Renewal(k, Duration.ofMinutes(1))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		this.jedis.pexpire(LOCK + ":token", LEASE.toMillis());
		this.store.renew(List.of(twice(k, Duration.ofMinutes(2))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
	}

	@Test
	void tokensGrowThroughExpiryLossOfAllDataAndRestart() {
		long last = 0;
		for (int i = 0; i < 1000; i++) {
			HoldId hold = hold("a:1");
			assertThat(tokenOf(hold)).isGreaterThan(last);
			last = tokenOf(hold);
			switch (i % 4) {
				case 0 -> this.jedis.flushAll();
				case 1 -> {
					this.jedis.pexpire(LOCK, 1);
					await().pollDelay(Duration.ZERO)
						.pollInterval(Duration.ofMillis(1))
						.until(() -> !this.jedis.exists(LOCK));
				}
				case 2 -> this.store.release(hold);
				default -> this.jedis.del(LOCK);
			}
			if (i % 250 == 249) {
				restart();
			}
		}
	}

	private void restart() {
		this.jedis.close();
		this.connections.destroy();
		redis.kill();
		redis.start();
		this.jedis = redis.connect();
		this.connections = Connections.patientJedis(redis.port());
		this.store = newStore();
	}

	@Test
	void placesFurtherBehindAreKeptForLonger() {
		HoldId held = hold("a:0");
		Duration first = Duration.ofMinutes(1);
		for (int i = 1; i <= 12; i++) {
			String owner = "b:" + i;
			Claim waiter = Claims.exclusive("k", owner, LEASE, i, new QueuePlace(owner + "#1", first));
			assertThat(((Denied) this.store.acquire(waiter)).position()).isEqualTo(Math.min(i, 10));
			assertThat(kept(owner + "#1")).isBetween(0.9 * Math.min(i, 10), 0.1 + Math.min(i, 10));
		}
		this.store.release(held);
		assertThat(this.store.acquire(Claims.exclusive("k", "b:1", LEASE, 1, new QueuePlace("b:1#1", first))))
			.isInstanceOf(Granted.class);
		Claim next = Claims.exclusive("k", "b:2", LEASE, 2, new QueuePlace("b:2#1", first));
		assertThat(((Denied) this.store.acquire(next)).position()).isOne();
		assertThat(kept("b:2#1")).isBetween(0.9, 1.1);
		assertThat(this.jedis.pttl(LOCK + ":deadlines")).isGreaterThan(first.multipliedBy(9).toMillis());
	}

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

	private HoldId acquire(String owner, LockMode mode) {
		Claim claim = new Claim(List.of("k"), owner, 1, mode, false, LEASE, null);
		return ((Granted) this.store.acquire(claim)).hold();
	}

	private void assertThatEverythingExpires() {
		assertThat(this.jedis.keys("*")).isNotEmpty()
			.allSatisfy((key) -> assertThat(this.jedis.pttl(key)).isPositive());
	}

	@Test
	void keyExpiresWithTheRestAndNamesWhoHadIt() {
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		assertThat(this.store.keep(hold, LEASE.multipliedBy(10))).isTrue();
		assertThat(this.jedis.hgetAll(LOCK))
			.isEqualTo(Map.of("one:1:kept", "1", "mode", "exclusive", "token", Long.toString(tokenOf(hold))));
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(LEASE.multipliedBy(9).toMillis());
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(24).toMillis());
		assertThatEverythingExpires();
	}

	@Test
	void restBelowAMillisecondIsOne() {
		this.store.keep(acquire("one:1", LockMode.EXCLUSIVE), Duration.ofNanos(1));
		await().until(() -> this.jedis.keys("*").equals(Set.of(LOCK + ":token")));
	}

	@Test
	void shareIsKeptBesideOthersAndEndsByItself() {
		HoldId reader = acquire("one:1", LockMode.SHARED);
		HoldId other = acquire("two:1", LockMode.SHARED);
		assertThat(this.store.keep(reader, SHORT)).isTrue();
		assertThatEverythingExpires();
		assertThat(this.store.release(other)).isTrue();
		await().until(() -> this.jedis.keys("*").equals(Set.of(LOCK + ":token", LOCK + ":released")));
	}

}
