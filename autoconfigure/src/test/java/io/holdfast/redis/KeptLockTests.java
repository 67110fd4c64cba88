package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis of locks that are kept.
 */
@Tag("any-jdk")
class KeptLockTests extends AbstractRedisLockStoreTests {

	private static final Duration SHORT = Duration.ofMillis(400);

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

	@Test
	void onlyTheHoldItselfIsKept() {
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		assertThat(this.store.keep(new HoldId("k", "one:1", tokenOf(hold) - 1), SHORT)).isFalse();
		assertThat(this.store.keep(new HoldId("k", "two:1", tokenOf(hold)), SHORT)).isFalse();
		assertThat(this.jedis.hget(LOCK, "one:1")).isEqualTo("1");
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(SHORT.toMillis());
		this.jedis.set(LOCK, "something else");
		assertThat(this.store.keep(hold, SHORT)).isFalse();
		assertThat(this.jedis.get(LOCK)).isEqualTo("something else");
	}

}
