package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is in Redis of locks that are kept.
 */
@Tag("any-jdk")
class KeptLockTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final String LOCK = "holdfast:{k}";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration RETENTION = Duration.ofHours(24);

	private static final Duration SHORT = Duration.ofMillis(400);

	private JedisConnectionFactory connections;

	private Jedis jedis;

	private RedisLockStore store;

	@BeforeEach
	void connect() {
		this.connections = Connections.patientJedis(redis.port());
		this.jedis = redis.connect();
		this.jedis.flushAll();
		this.store = new RedisLockStore(this.connections, "holdfast", RETENTION, ReplicaAcks.NONE);
	}

	@AfterEach
	void disconnect() {
		this.jedis.close();
		this.connections.destroy();
	}

	private HoldId acquire(String owner, LockMode mode) {
		Claim claim = new Claim(List.of("k"), owner, 1, mode, false, LEASE, null);
		return claim.granted(((Granted) this.store.acquire(claim)).grants());
	}

	private static String token(HoldId hold) {
		return Long.toString(hold.grants().get(0).token());
	}

	private void assertThatEverythingExpires() {
		assertThat(this.jedis.keys("*")).isNotEmpty()
			.allSatisfy((key) -> assertThat(this.jedis.pttl(key)).isPositive());
	}

	@Test
	void keyExpiresWithTheRestAndNamesWhoHadIt() {
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		assertThat(this.store.keep(hold, SHORT)).isTrue();
		assertThat(this.jedis.pttl(LOCK)).isBetween(1L, SHORT.toMillis());
		assertThat(this.jedis.hgetAll(LOCK))
			.isEqualTo(Map.of("one:1:kept", "1", "mode", "exclusive", "token", token(hold)));
		assertThatEverythingExpires();
		await().until(() -> this.jedis.keys("*").equals(Set.of(LOCK + ":token")));
	}

	@Test
	void restBelowAMillisecondIsOne() {
		this.store.keep(acquire("one:1", LockMode.EXCLUSIVE), Duration.ofNanos(1));
		await().until(() -> !this.jedis.exists(LOCK));
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		this.store.keep(hold, SHORT.minusNanos(1));
		assertThat(expiryMillis()).isGreaterThan(hold.grants().get(0).token() / 1_000 + 399);
	}

	/**
	 * Return when the lock expires, by the server's clock: Redis 6.2 has no command for
	 * it. What is left is read first, since the clock may go on in between.
	 */
	private long expiryMillis() {
		return (Long) this.jedis.eval("local left, time = redis.call('PTTL', KEYS[1]), redis.call('TIME') "
				+ "return time[1] * 1000 + math.floor(time[2] / 1000) + left", 1, LOCK);
	}

	@Test
	void restMayBeLongerThanTheLeaseAndTheTokenIsRememberedAfterwards() {
		Duration rest = LEASE.multipliedBy(10);
		this.store.keep(acquire("one:1", LockMode.EXCLUSIVE), rest);
		assertThat(this.jedis.pttl(LOCK)).isBetween(rest.minusSeconds(20).toMillis(), rest.toMillis());
		assertThat(this.jedis.pttl(LOCK + ":token")).isBetween(rest.plus(RETENTION).minusSeconds(20).toMillis(),
				rest.plus(RETENTION).toMillis());
	}

	@Test
	void holdWithAnotherTokenIsNotKept() {
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		HoldId stale = new HoldId("k", "one:1", hold.grants().get(0).token() - 1);
		assertThat(this.store.keep(stale, SHORT)).isFalse();
		assertThat(this.store.keep(new HoldId("two:1", hold.grants()), SHORT)).isFalse();
		assertThat(this.jedis.hget(LOCK, "one:1")).isEqualTo("1");
		assertThat(this.jedis.pttl(LOCK)).isGreaterThan(SHORT.toMillis());
	}

	@Test
	void shareIsKeptBesideOthersAndEndsByItself() {
		HoldId reader = acquire("one:1", LockMode.SHARED);
		HoldId other = acquire("two:1", LockMode.SHARED);
		assertThat(this.store.keep(reader, SHORT)).isTrue();
		assertThat(this.jedis.hgetAll(LOCK)).containsOnlyKeys("one:1#1:kept", "two:1#1", "mode", "token");
		assertThat(this.jedis.zrange(LOCK + ":shares", 0, -1)).containsExactly(token(reader) + "@one:1#1:kept",
				token(other) + "@two:1#1");
		assertThatEverythingExpires();
		assertThat(this.store.release(other)).isTrue();
		assertThat(this.jedis.pttl(LOCK)).isBetween(1L, SHORT.toMillis());
		assertThat(this.jedis.pttl(LOCK + ":shares")).isBetween(1L, SHORT.toMillis());
		await().until(() -> this.jedis.keys("*").equals(Set.of(LOCK + ":token", LOCK + ":released")));
	}

	@Test
	void whatIsLeftOfSeveralKeysIsKept() {
		Claim claim = Claims.exclusive("k", "one:1", LEASE, 0, null).on(List.of("k", "{k}2"));
		List<Grant> grants = ((Granted) this.store.acquire(claim)).grants();
		this.jedis.del("holdfast:{k}2");
		assertThat(this.store.keep(new HoldId("one:1", grants), LEASE)).isFalse();
		assertThat(this.jedis.hgetAll(LOCK)).containsKey("one:1:kept");
	}

	@Test
	void somethingElseUnderTheKeyIsLeftAlone() {
		HoldId hold = acquire("one:1", LockMode.EXCLUSIVE);
		this.jedis.set(LOCK, "something else");
		assertThat(this.store.keep(hold, SHORT)).isFalse();
		assertThat(this.jedis.get(LOCK)).isEqualTo("something else");
	}

}
