package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis, and what the scripts do to it.
 */
class RedisLockStoreTests extends AbstractRedisLockStoreTests {

	@Test
	void shareThatHasEndedIsNotFound() {
		Claim shared = new Claim(List.of("k"), "store:1", 1, LockMode.SHARED, false, Duration.ofMillis(50), null);
		Claim longer = new Claim(List.of("k"), "store:2", 1, LockMode.SHARED, false, LEASE, null);
		assertThat(this.store.acquire(shared)).isInstanceOf(Granted.class);
		long token = tokenOf(this.store.acquire(longer));
		await().until(() -> Claims.held(this.store, "k", "store:1").isEmpty());
		assertThat(Claims.held(this.store, "k", "store:2")).containsExactly(new HoldId("k", "store:2", token));
	}

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
		this.store.renew(List.of(twice(hold, LEASE)));
		assertThat(this.jedis.keys("*")).containsExactlyInAnyOrder(LOCK, LOCK + ":token", LOCK + ":queue",
				LOCK + ":deadlines");
		assertThat(this.jedis.keys("*")).allSatisfy((key) -> assertThat(this.jedis.pttl(key)).as(key).isPositive());
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		assertThat(this.jedis.pttl(LOCK + ":queue")).isLessThanOrEqualTo(KEPT.toMillis());
	}

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
	void repeatedClaimChangesNothing() {
		Outcome first = claim("a:1", 0, null);
		this.store.renew(List.of(twice(new HoldId("k", "a:1", tokenOf(first)), LEASE)));
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
			this.store.acquire(new Claim(List.of("k"), "a:1", number, LockMode.SHARED, false, LEASE, null));
		}
		this.store.withdraw(new Claim(List.of("k"), "a:1", 2, LockMode.SHARED, false, LEASE, null), LEASE);
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
			assertThat(this.store.release(other)).as(other.toString()).isFalse();
			assertThat(this.store.renew(List.of(twice(other, LEASE)))).as(other.toString()).containsExactly(new Gone());
			assertThat(this.store.renew(List.of(new Renewal(other, Duration.ofMinutes(5)))))
				.containsExactly(new Gone());
		}
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(hash);
		assertThat(this.jedis.pttl(LOCK)).isLessThanOrEqualTo(30_000);
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
			assertThat(this.jedis.pttl(LOCK + ":released")).isBetween(1L, LEASE.toMillis());
		}
		this.store.withdraw(claimOf("b:1", 0, "b:1#1"), Duration.ZERO);
		Claim share = new Claim(List.of("k"), "a:1", 9, LockMode.SHARED, false, LEASE, null);
		HoldId shared = ((Granted) this.store.acquire(share)).hold();
		assertThat(List.of(this.store.release(shared), this.store.release(shared))).containsOnly(true);
	}

	@Test
	void holdThatWasLostIsNotTakenForReleased() {
		HoldId expired = hold("a:1");
		this.jedis.del(LOCK);
		assertThat(this.store.release(expired)).isFalse();
		HoldId forced = hold("a:1");
		this.store.view().forceRelease("k", null, LEASE);
		assertThat(this.store.release(forced)).isFalse();
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
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(50_000);
	}

	@Test
	void lockThatDoesNotExpireIsHeld() {
		HoldId k = hold("a:1");
		this.jedis.persist(LOCK);
		assertThat(this.store.renew(List.of(new Renewal(k, Duration.ZERO))).get(0)).isInstanceOf(Renewed.class);
	}

	@Test
	void renewalOfAHoldThatWasHandedOnLeavesTheLeaseOfTheNext() {
		HoldId before = hold("a:1");
		transfer(before, "a:2", false);
		assertThat(this.store.renew(List.of(new Renewal(before, Duration.ofHours(1))))).containsExactly(new Gone());
		assertThat(this.jedis.pttl(LOCK)).isLessThanOrEqualTo(LEASE.toMillis());
	}

	@Test
	void renewalOfADowngradedHoldProlongsItsShare() {
		HoldId k = hold("a:1");
		this.store.downgrade(k, 1, null);
		assertThat(this.store.renew(List.of(new Renewal(k, Duration.ofMinutes(1)))))
			.containsExactly(new Renewed(Duration.ofMinutes(1)));
		double ends = this.jedis.zscore(LOCK + ":shares", tokenOf(k) + "@a:1");
		assertThat(ends).isGreaterThan(tokenOf(k) / 1000.0 + 55_000);
	}

	@Test
	void renewalOfTheLatestShareProlongsIt() {
		HoldId latest = null;
		for (String owner : List.of("a:1", "b:1")) {
			Claim claim = new Claim(List.of("k"), owner, 1, LockMode.SHARED, false, LEASE, null);
			latest = claim.granted(((Granted) this.store.acquire(claim)).grants());
		}
		assertThat(this.jedis.hget(LOCK, "token")).isEqualTo(Long.toString(tokenOf(latest)));
		assertThat(this.store.renew(List.of(new Renewal(latest, Duration.ofMinutes(1)))))
			.containsExactly(new Renewed(Duration.ofMinutes(1)));
		double ends = this.jedis.zscore(LOCK + ":shares", tokenOf(latest) + "@b:1#1");
		assertThat(ends).isGreaterThan(tokenOf(latest) / 1000.0 + 55_000);
	}

	private static Renewal twice(HoldId hold, Duration lease) {
		return new Renewal(hold, lease, 2, null);
	}

	@Test
	void renewalAndReentryPutOffThatTheLastTokenIsForgotten() {
		HoldId k = hold("a:1");
		this.jedis.pexpire(LOCK + ":token", 1000);
		this.store.renew(List.of(new Renewal(k, Duration.ofMinutes(1))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		this.jedis.pexpire(LOCK + ":token", 1000);
		this.store.renew(List.of(twice(k, Duration.ofMinutes(2))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
	}

	@ParameterizedTest
	@EnumSource
	void claimThatIsRepeatedPutsOffThatTheLastTokenIsForgotten(LockMode mode) {
		Claim claim = new Claim(List.of("k"), "store:1", 1, mode, false, LEASE, null);
		Outcome granted = this.store.acquire(claim);
		this.jedis.pexpire(LOCK + ":token", LEASE.toMillis());
		assertThat(this.store.acquire(claim)).isEqualTo(granted);
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

}
