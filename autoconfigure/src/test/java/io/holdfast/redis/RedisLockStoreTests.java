package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.engine.Claims;
import io.holdfast.engine.TestInstance;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.Gone;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.Granted;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.NotHeld;
import io.holdfast.engine.store.LockStore.Outcome;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import io.holdfast.engine.store.LockStore.Subscription;
import io.holdfast.engine.store.LockStore.Transfer;
import io.holdfast.engine.store.LockStore.Transferred;
import io.holdfast.engine.store.LockStore.WakeUpListener;
import io.holdfast.engine.store.LockStore.Yielded;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis, and what the scripts do to it.
 */
class RedisLockStoreTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final String LOCK = "holdfast:{k}";

	private static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * For how long a place in a queue is kept: longer than any of the tests.
	 */
	private static final Duration KEPT = Duration.ofMinutes(2);

	private JedisConnectionFactory connections;

	private Jedis jedis;

	private RedisLockStore store;

	private final List<TestInstance> instances = new ArrayList<>();

	@BeforeEach
	void connect() {
		this.connections = Connections.patientJedis(redis.port());
		this.jedis = redis.connect();
		this.jedis.flushAll();
		this.store = newStore("store");
	}

	@AfterEach
	void disconnect() {
		this.instances.forEach(TestInstance::close);
		this.store.stopListening();
		this.jedis.close();
		this.connections.destroy();
	}

	private RedisLockStore newStore(String instanceId) {
		return new RedisLockStore(this.connections, "holdfast", instanceId, Duration.ofHours(24), RedisView::new);
	}

	private TestInstance newInstance() {
		TestInstance instance = new TestInstance(this::newStore);
		this.instances.add(instance);
		return instance;
	}

	private Outcome claim(String owner, long number, String place) {
		return this.store.acquire(claimOf(owner, number, place));
	}

	/**
	 * Create a claim of an owner, whose name no other owner's has.
	 */
	private static Claim claimOf(String owner, long number, String place) {
		long unique = 1000L * owner.charAt(owner.length() - 1) + number;
		return Claims.exclusive("k", owner, LEASE, unique, (place != null) ? new QueuePlace(place, KEPT) : null);
	}

	private HoldId hold(String owner) {
		return new HoldId("k", owner, tokenOf(claim(owner, 0, null)));
	}

	private static long tokenOf(Outcome outcome) {
		return ((Granted) outcome).grants().get(0).token();
	}

	private static long tokenOf(HoldId hold) {
		return hold.grants().get(0).token();
	}

	private Claim fair(String owner, String... keys) {
		return fair(owner, KEPT, keys);
	}

	private Claim fair(String owner, Duration kept, String... keys) {
		return new Claim(List.of(keys), owner, 100 + owner.charAt(owner.length() - 1), LockMode.EXCLUSIVE, true, false,
				LEASE, new QueuePlace(owner + "#1" + ((keys.length > 1) ? ",several" : ""), kept));
	}

	@Test
	void shareThatHasEndedIsNotFound() {
		Claim shared = new Claim(List.of("k"), "store:1", 1, LockMode.SHARED, false, false, Duration.ofMillis(50),
				null);
		Claim longer = new Claim(List.of("k"), "store:2", 1, LockMode.SHARED, false, false, LEASE, null);
		assertThat(this.store.acquire(shared)).isInstanceOf(Granted.class);
		long token = tokenOf(this.store.acquire(longer));
		await().until(() -> Claims.held(this.store, "k", "store:1").isEmpty());
		assertThat(Claims.held(this.store, "k", "store:2")).containsExactly(new HoldId("k", "store:2", token));
	}

	@Test
	void placeThatHasRunOutIsNotFoundAgain() {
		hold("a:1");
		claim("store:1", 1, "store:1#1");
		claim("store:2", 1, "store:2#1");
		this.jedis.zadd(LOCK + ":deadlines", 1, "store:1#1");
		claim("store:1", 1, "store:1#1");
		assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("store:2#1", "store:1#1");
	}

	// Several keys in order of arrival

	@Test
	void fairWaiterForSeveralKeysIsNotOvertakenWhereTheLockIsFree() {
		HoldId taken = hold("store:1");
		assertThat(this.store.acquire(fair("store:2", "k", "free"))).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(Claims.exclusive("free", "store:3", LEASE, 0, null))).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(fair("store:4", "free"))).isInstanceOf(Denied.class);
		this.store.release(taken, 0);
		assertThat(this.store.acquire(fair("store:2", "k", "free"))).isInstanceOf(Granted.class);
		assertThat(this.jedis.zrange("holdfast:{free}:queue", 0, -1)).containsExactly("store:4#1");
	}

	/**
	 * One of two such waiters pauses until its place has run out, which is noticed in one
	 * of the queues only.
	 */
	@Test
	void fairWaitersForSeveralKeysAreNeverInEachOthersWay() {
		HoldId k = hold("store:1");
		HoldId other = new HoldId("store:2",
				((Granted) this.store.acquire(Claims.exclusive("other", "store:2", LEASE, 0, null))).grants());
		Claim pausing = fair("store:3", Duration.ofSeconds(1), "k", "other");
		Claim next = fair("store:4", "k", "other");
		this.store.acquire(pausing);
		this.store.acquire(next);
		await().until(() -> {
			this.store.withdraw(claimOf("nobody:1", 1, "nobody:1#1"), Duration.ZERO);
			return this.jedis.zcard("holdfast:{k}:queue") == 1;
		});
		assertThat(this.jedis.zcard("holdfast:{other}:queue")).isEqualTo(2);
		this.store.release(k, 0);
		assertThat(this.store.acquire(next)).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(pausing)).isInstanceOf(Denied.class);
		this.store.release(other, 0);
		assertThat(this.store.acquire(fair("store:3", "k", "other"))).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(next)).isInstanceOf(Granted.class);
	}

	/**
	 * It may have what the waiter waits for.
	 */
	@Test
	void whoHasALockGoesPastAFairWaiterForSeveralKeys() {
		hold("store:1");
		this.store.acquire(fair("store:2", "k", "free"));
		Claim nested = new Claim(List.of("free"), "store:1", 1, LockMode.EXCLUSIVE, false, true, LEASE, null);
		assertThat(this.store.acquire(nested)).isInstanceOf(Granted.class);
	}

	@Test
	void whoHasALockDoesNotGoPastAFairWaiterForOneKey() {
		HoldId taken = hold("store:1");
		this.store.acquire(fair("store:2", "k"));
		this.store.release(taken, 0);
		Claim nested = new Claim(List.of("k"), "store:1", 1, LockMode.EXCLUSIVE, false, true, LEASE, null);
		assertThat(this.store.acquire(nested)).isInstanceOf(Denied.class);
	}

	// Layout

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
		assertThat(this.jedis.keys("*")).containsExactly(LOCK + ":token");
	}

	@Test
	void reentryShowsTwoInTheHashAndOneReleaseLeavesOne() {
		TestInstance instance = newInstance();
		String owner = instance.id() + ":" + Thread.currentThread().getId();
		LockHandle outer = instance.template().acquire("k");
		LockHandle inner = instance.template().acquire("k");
		assertThat(this.jedis.hget(LOCK, owner)).isEqualTo("2");
		inner.close();
		assertThat(this.jedis.hget(LOCK, owner)).isEqualTo("1");
		outer.close();
		assertThat(this.jedis.exists(LOCK)).isFalse();
	}

	@Test
	void everyKeyHasAnExpiry() {
		HoldId hold = hold("a:1");
		claim("b:1", 0, "b:1#1");
		this.store.reenter(hold, 2, LEASE);
		assertThat(this.jedis.keys("*")).containsExactlyInAnyOrder(LOCK, LOCK + ":token", LOCK + ":queue",
				LOCK + ":deadlines");
		assertThat(this.jedis.keys("*")).allSatisfy((key) -> assertThat(this.jedis.pttl(key)).as(key).isPositive());
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		assertThat(this.jedis.pttl(LOCK + ":queue")).isLessThanOrEqualTo(KEPT.toMillis());
	}

	// Scripts

	@Test
	void scriptsAreLoadedAgainWhenRedisHasForgottenThem() {
		try (LockHandle handle = newInstance().template().acquire("k")) {
			this.jedis.scriptFlush();
			assertThat(handle.extend(Duration.ofMinutes(1))).isTrue();
			this.jedis.scriptFlush();
		}
		assertThat(this.jedis.exists(LOCK)).isFalse();
		this.jedis.scriptFlush();
		newInstance().template().acquire("k").close();
	}

	@Test
	void repeatedClaimChangesNothing() {
		Outcome first = claim("a:1", 0, null);
		this.store.reenter(new HoldId("k", "a:1", tokenOf(first)), 2, LEASE);
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		assertThat(claim("a:1", 0, null)).isEqualTo(first);
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
	}

	@Test
	void nextClaimOfAnOwnerIsDeniedLikeAnother() {
		claim("a:1", 1, null);
		assertThat(claim("a:1", 2, null)).isInstanceOf(Denied.class);
	}

	@Test
	void claimIsGrantedOnceWhoeverAsksUnderIt() {
		Outcome first = claim("a:1", 1, null);
		Claim other = Claims.exclusive("k", "a:2", LEASE, claimOf("a:1", 1, null).number(), null);
		assertThat(this.store.acquire(other)).isEqualTo(first);
		assertThat(this.jedis.hget(LOCK, "a:1")).isEqualTo("1");
	}

	@Test
	void handOverIsRepeatedInVain() {
		HoldId held = new HoldId("k", "a:1", tokenOf(claim("a:1", 1, null)));
		Claim next = Claims.exclusive("k", "a:2", LEASE, claimOf("a:1", 1, null).number(),
				new QueuePlace("a:1#1", KEPT));
		long token = ((Transferred) this.store.transfer(held, next, false)).token();
		assertThat(token).isGreaterThan(tokenOf(held));
		assertThat(this.store.transfer(held, next, false)).isEqualTo(new Transferred(token, false));
		Claim third = Claims.exclusive("k", "a:3", LEASE, next.number(), next.place());
		assertThat(this.store.transfer(held, third, false)).isEqualTo(new NotHeld());
		assertThat(this.store.acquire(next)).isEqualTo(new Granted(new HoldId("k", "a:2", token)));
	}

	@Test
	void withdrawalTakesAwayWhatTheClaimWasGrantedAndWakesTheNext() {
		claim("a:1", 1, null);
		claim("b:1", 0, "b:1#1");
		this.store.withdraw(claimOf("a:1", 2, null), Duration.ZERO);
		assertThat(this.jedis.hget(LOCK, "a:1")).isEqualTo("1");
		this.store.withdraw(claimOf("a:1", 1, null), Duration.ZERO);
		assertThat(claim("b:1", 0, "b:1#1")).isInstanceOf(Granted.class);
	}

	@Test
	void claimThatWasWithdrawnIsDeniedAndNotQueued() {
		this.store.withdraw(claimOf("a:1", 1, "a:1#1"), LEASE);
		assertThat(claim("a:1", 1, "a:1#1")).isEqualTo(new Denied(null, Duration.ZERO));
		assertThat(this.jedis.exists(LOCK)).isFalse();
		assertThat(this.jedis.exists(LOCK + ":queue")).isFalse();
		assertThat(this.jedis.pttl(LOCK + ":deadlines")).isBetween(LEASE.toMillis() / 2, LEASE.toMillis());
		assertThat(claim("a:1", 2, null)).isInstanceOf(Granted.class);
	}

	@Test
	void withdrawalTakesAwayTheShareOfTheClaim() {
		for (int number : new int[] { 1, 2 }) {
			this.store.acquire(new Claim(List.of("k"), "a:1", number, LockMode.SHARED, false, false, LEASE, null));
		}
		this.store.withdraw(new Claim(List.of("k"), "a:1", 2, LockMode.SHARED, false, false, LEASE, null), LEASE);
		assertThat(this.jedis.hkeys(LOCK)).containsExactlyInAnyOrder("a:1#1", "mode", "token");
		assertThat(this.jedis.zcard(LOCK + ":shares")).isOne();
	}

	@Test
	void lockThatIsKeptIsNotWithdrawnWithItsClaim() {
		HoldId held = new HoldId("k", "a:1", tokenOf(claim("a:1", 1, null)));
		this.store.keep(held, LEASE);
		this.store.withdraw(claimOf("a:1", 1, null), Duration.ZERO);
		assertThat(this.jedis.hget(LOCK, "a:1:kept")).isEqualTo("1");
	}

	@Test
	void deniedClaimNamesHolderAndRemainingLease() {
		hold("a:1");
		assertThat(claim("b:1", 0, null)).isInstanceOfSatisfying(Denied.class, (denied) -> {
			assertThat(denied.holder()).isEqualTo("a:1");
			assertThat(denied.remaining()).isBetween(Duration.ofSeconds(25), LEASE);
		});
	}

	@Test
	void onlyTheHoldItselfCanBeRenewedReenteredOrReleased() {
		HoldId held = hold("a:1");
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		for (HoldId other : List.of(new HoldId("k", "b:1", tokenOf(held)), new HoldId("k", "a:1", tokenOf(held) - 1))) {
			assertThat(this.store.release(other, 0)).as(other.toString()).isFalse();
			assertThat(this.store.reenter(other, 5, LEASE)).as(other.toString()).isNull();
			assertThat(this.store.renew(List.of(new Renewal(other, Duration.ofMinutes(5)))))
				.containsExactly(new Gone());
		}
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		assertThat(this.jedis.pttl(LOCK)).isLessThanOrEqualTo(30_000);
	}

	private Transfer transfer(HoldId hold, String successor, boolean yield) {
		return this.store.transfer(hold, claimOf(successor, 0, successor + "#1"), yield);
	}

	@Test
	void transferGrantsTheLockAnew() {
		HoldId first = hold("a:1");
		this.jedis.pexpire(LOCK, 1000);
		Transferred transferred = (Transferred) transfer(first, "a:2", true);
		assertThat(transferred.token()).isGreaterThan(tokenOf(first));
		assertThat(transferred.othersWait()).isFalse();
		String token = Long.toString(transferred.token());
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(
				Map.of("a:2", "1", "mode", "exclusive", "token", token, "claim", claimOf("a:2", 0, null).name()));
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(25_000);
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(token);
	}

	@Test
	void transferGoesToTheSuccessorUnlessItIsToYield() {
		HoldId first = hold("a:1");
		claim("b:1", 0, "b:1#1");
		Transferred transferred = (Transferred) transfer(first, "a:2", false);
		assertThat(transferred.othersWait()).isTrue();
		HoldId second = new HoldId("k", "a:2", transferred.token());
		assertThat(transfer(second, "a:3", true)).isEqualTo(new Yielded());
		assertThat(this.jedis.exists(LOCK)).isFalse();
		assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("b:1#1", "a:3#1");
	}

	@Test
	void transferDoesNotYieldToTheDead() {
		HoldId first = hold("a:1");
		claim("b:1", 0, "b:1#1");
		this.jedis.zadd(LOCK + ":deadlines", 1, "b:1#1");
		assertThat(transfer(first, "a:2", true)).isInstanceOfSatisfying(Transferred.class,
				(transferred) -> assertThat(transferred.othersWait()).isFalse());
	}

	@Test
	void repeatedTransferChangesNothing() {
		HoldId first = hold("a:1");
		long token = ((Transferred) transfer(first, "a:2", false)).token();
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		assertThat(transfer(first, "a:2", false)).isEqualTo(new Transferred(token, false));
		assertThat(transfer(first, "a:3", false)).isEqualTo(new NotHeld());
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		assertThat(claim("a:2", 0, null)).isEqualTo(new Granted(new HoldId("k", "a:2", token)));
	}

	@Test
	void onlyTheHoldItselfCanBeTransferred() {
		HoldId held = hold("a:1");
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		assertThat(transfer(new HoldId("k", "b:1", tokenOf(held)), "b:2", false)).isEqualTo(new NotHeld());
		assertThat(transfer(new HoldId("k", "a:1", tokenOf(held) - 1), "a:2", false)).isEqualTo(new NotHeld());
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		this.jedis.set(LOCK, "somebody else's");
		assertThat(transfer(held, "a:2", false)).isEqualTo(new NotHeld());
	}

	@Test
	void transferThatFailsLeavesTheHoldToItsOwner() {
		HoldId held = hold("a:1");
		Map<String, String> hash = this.jedis.hgetAll(LOCK);
		this.jedis.set(LOCK + ":token", "somebody else's");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> transfer(held, "a:2", false));
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		assertThat(this.jedis.pttl(LOCK)).isBetween(1L, LEASE.toMillis());
		assertThat(this.store.release(held, 0)).isTrue();
	}

	@Test
	void tokenGrowsEvenWhenTheClockHasGoneBack() {
		long ahead = 9_000_000_000_000_000L;
		this.jedis.set(LOCK + ":token", Long.toString(ahead));
		HoldId first = hold("a:1");
		assertThat(tokenOf(first)).isEqualTo(ahead + 1);
		assertThat(transfer(first, "a:2", false)).isEqualTo(new Transferred(ahead + 2, false));
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(Long.toString(ahead + 2));
		this.jedis.del(LOCK + ":token");
		assertThat(transfer(new HoldId("k", "a:2", ahead + 2), "a:3", false))
			.isEqualTo(new Transferred(ahead + 3, false));
	}

	@Test
	void renewsInBatches() {
		HoldId k = hold("a:1");
		HoldId gone = new HoldId("gone", "a:1", 1);
		List<RenewalOutcome> outcomes = this.store
			.renew(List.of(new Renewal(k, Duration.ofMinutes(1)), new Renewal(gone, Duration.ofMinutes(1))));
		assertThat(outcomes).containsExactly(new Renewed(Duration.ofMinutes(1)), new Gone());
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(55_000);
		assertThat(this.store.renew(List.of(new Renewal(k, Duration.ofSeconds(1)))).get(0)).isInstanceOfSatisfying(
				Renewed.class, (renewed) -> assertThat(renewed.lasts()).isGreaterThan(Duration.ofSeconds(55)));
	}

	@Test
	void foreignValueUnderOneKeyDoesNotKeepOthersFromBeingRenewed() {
		HoldId k = hold("a:1");
		HoldId spoilt = new HoldId("spoilt", "a:1", 1);
		this.jedis.set("holdfast:{spoilt}", "somebody else's");
		assertThat(this.store
			.renew(List.of(new Renewal(spoilt, Duration.ofMinutes(1)), new Renewal(k, Duration.ofMinutes(1)))))
			.containsExactly(new Gone(), new Renewed(Duration.ofMinutes(1)));
		assertThat(this.jedis.get("holdfast:{spoilt}")).isEqualTo("somebody else's");
	}

	@Test
	void renewalAndReentryPutOffThatTheLastTokenIsForgotten() {
		HoldId k = hold("a:1");
		this.jedis.pexpire(LOCK + ":token", 1000);
		this.store.renew(List.of(new Renewal(k, Duration.ofMinutes(1))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		this.jedis.pexpire(LOCK + ":token", 1000);
		this.store.reenter(k, 2, Duration.ofMinutes(2));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
	}

	@Test
	void foreignValueUnderTheKeyIsAClearErrorAndStays() {
		this.jedis.set(LOCK, "somebody else's");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> claim("a:1", 0, null))
			.withMessageContaining("'k'")
			.withMessageContaining("WRONGTYPE")
			.satisfies((ex) -> assertThat(ex.isTransient()).isFalse());
		assertThat(this.jedis.get(LOCK)).isEqualTo("somebody else's");
	}

	// Fencing

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
				case 2 -> this.store.release(hold, 0);
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
		this.store = newStore("store");
	}

	@Test
	void tokenGrowsAlthoughTheClockHasGoneBack() {
		long future = 4_000_000_000_000_000L;
		this.jedis.set(LOCK + ":token", Long.toString(future));
		assertThat(tokenOf(hold("a:1"))).isEqualTo(future + 1);
	}

	// Queue and wake-ups

	@Test
	void deniedClaimHasQueuedInTheSameCall() {
		HoldId held = hold("a:1");
		claim("b:1", 0, "b:1#1");
		claim("c:1", 0, "c:1#1");
		claim("b:1", 0, "b:1#1");
		assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("b:1#1", "c:1#1");
		this.store.release(held, 0);
		assertThat(claim("c:1", 0, "c:1#1")).isInstanceOf(Granted.class);
		assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("b:1#1");
		assertThat(this.jedis.zrange(LOCK + ":deadlines", 0, -1)).containsExactly("b:1#1");
	}

	@Test
	void releaseWakesTheFirstWaiterOnly() {
		RecordingWakeUps b = new RecordingWakeUps();
		RecordingWakeUps c = new RecordingWakeUps();
		RedisLockStore storeOfB = newStore("b");
		RedisLockStore storeOfC = newStore("c");
		try {
			b.listenTo(storeOfB);
			c.listenTo(storeOfC);
			HoldId held = hold("a:1");
			claim("b:1", 0, "b:1#1");
			claim("c:1", 0, "c:1#1");
			this.store.release(held, 0);
			await().untilAsserted(() -> assertThat(b.keys).containsExactly("k"));
			this.store.withdraw(claimOf("b:1", 0, "b:1#1"), Duration.ZERO);
			await().untilAsserted(() -> assertThat(c.keys).containsExactly("k"));
			hold("a:1");
			this.store.withdraw(claimOf("c:1", 0, "c:1#1"), Duration.ZERO);
			await().during(Duration.ofMillis(200)).until(() -> b.keys.size() == 1 && c.keys.size() == 1);
		}
		finally {
			storeOfB.stopListening();
			storeOfC.stopListening();
		}
	}

	@Test
	void waiterWhoseDeadlineHasPassedIsNotWoken() {
		RecordingWakeUps c = new RecordingWakeUps();
		RedisLockStore storeOfC = newStore("c");
		try {
			c.listenTo(storeOfC);
			HoldId held = hold("a:1");
			this.store
				.acquire(Claims.exclusive("k", "dead:1", LEASE, 0, new QueuePlace("dead:1#1", Duration.ofMillis(500))));
			this.store.acquire(Claims.exclusive("k", "c:1", LEASE, 0, new QueuePlace("c:1#1", Duration.ofSeconds(60))));
			await().until(() -> {
				Double deadline = this.jedis.zscore(LOCK + ":deadlines", "dead:1#1");
				return deadline == null || deadline.longValue() < Long.parseLong(this.jedis.time().get(0)) * 1000
						+ Long.parseLong(this.jedis.time().get(1)) / 1000;
			});
			this.store.release(held, 0);
			await().untilAsserted(() -> assertThat(c.keys).containsExactly("k"));
			assertThat(this.jedis.zrange(LOCK + ":queue", 0, -1)).containsExactly("c:1#1");
		}
		finally {
			storeOfC.stopListening();
		}
	}

	@Test
	void waiterLeavesNoPlaceBehindWhenItGivesUp() {
		HoldId held = hold("a:1");
		assertThat(newInstance().template().tryAcquire(LockRequest.of("k").waitFor(Duration.ofMillis(100)))).isEmpty();
		await().until(() -> !this.jedis.exists(LOCK + ":queue"));
		this.store.release(held, 0);
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
		held.forEach((hold) -> this.store.release(hold, 0));
		waiters.forEach((waiter) -> assertThat(Threads.join(waiter).isHeld()).isTrue());
		instance.close();
		await().until(() -> this.jedis.pubsubNumSub(channel).get(channel) == 0);
		assertThat(instance.store().subscription()).isEqualTo(Subscription.IDLE);
	}

	@Test
	void subscriptionIsOpenedAgainWhenItBreaks() {
		RecordingWakeUps wakeUps = new RecordingWakeUps();
		wakeUps.listenTo(this.store);
		int before = wakeUps.all.size();
		this.jedis.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "pubsub");
		await().until(() -> wakeUps.all.size() == before + 1);
		assertThat(this.store.subscription()).isEqualTo(Subscription.ACTIVE);
		this.jedis.publish("holdfast:wake:store", "1#1 k");
		await().untilAsserted(() -> assertThat(wakeUps.keys).containsExactly("k"));
	}

	private static final class RecordingWakeUps implements WakeUpListener {

		private final List<String> keys = new CopyOnWriteArrayList<>();

		private final List<Boolean> all = new CopyOnWriteArrayList<>();

		private void listenTo(RedisLockStore store) {
			store.listen(this);
			await().until(() -> !this.all.isEmpty());
		}

		@Override
		public void wakeUp(String key, String placeId) {
			this.keys.add(key);
		}

		@Override
		public void wakeUpAll() {
			this.all.add(true);
		}

		@Override
		public void forceReleased(HoldId hold) {
			this.keys.add(hold.toString());
		}

	}

}
