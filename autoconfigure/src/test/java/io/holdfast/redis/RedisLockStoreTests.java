package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.test.Connections;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis, and what the scripts do to it.
 */
class RedisLockStoreTests extends AbstractRedisLockStoreTests {

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
			assertThat(this.jedis.pttl(LOCK + ":released")).isBetween(1L, LEASE.toMillis());
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
		this.jedis.pexpire(LOCK + ":token", 1000);
		this.store.renew(List.of(new Renewal(k, Duration.ofMinutes(1))));
		assertThat(this.jedis.pttl(LOCK + ":token")).isGreaterThan(Duration.ofHours(23).toMillis());
		this.jedis.pexpire(LOCK + ":token", 1000);
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

}
