package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a node of a quorum does with grants that do not count yet.
 */
class TentativeGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration TENTATIVE = Duration.ofSeconds(5);

	@RegisterExtension
	static final RedisProcess server = new RedisProcess();

	private static JedisConnectionFactory connections;

	private final String key = "k-" + UUID.randomUUID();

	private final RedisLockStore store = new RedisLockStore(connections, "holdfast", Duration.ofHours(1),
			ReplicaAcks.NONE);

	private final NodeLocks locks = new NodeLocks(this.store, Duration.ofHours(1));

	@AfterEach
	void close() {
		this.store.close();
	}

	@BeforeAll
	static void connect() {
		connections = Connections.patientJedis(server.port());
	}

	@AfterAll
	static void disconnect() {
		connections.destroy();
	}

	private Claim claim(String owner) {
		return claim(owner, 0);
	}

	private Claim claim(String owner, long number) {
		return Claims.exclusive(this.key, owner, LEASE, number, null);
	}

	private List<Grant> grants(Claim claim) {
		return ((Granted) this.locks.attempt(claim, TENTATIVE, 0, 1).outcome()).grants();
	}

	private static long token(List<Grant> grants) {
		return grants.get(0).token();
	}

	private Duration lasts() {
		return server.ask((jedis) -> Duration.ofMillis(jedis.pttl("holdfast:{" + this.key + "}")));
	}

	@ParameterizedTest
	@EnumSource
	void lastsForTheWholeLeaseOnceItCounts(LockMode mode) {
		Claim claim = new Claim(List.of(this.key), "one:1", 1, mode, false, LEASE, null);
		List<Grant> granted = grants(claim);
		assertThat(lasts()).isPositive().isLessThanOrEqualTo(TENTATIVE);
		assertThat(this.locks.confirm(claim, granted, later(granted)).held()).isTrue();
		assertThat(lasts()).isGreaterThan(LEASE.dividedBy(2)).isLessThanOrEqualTo(LEASE);
		HoldId hold = claim.granted(later(granted));
		assertThat(this.locks.renew(List.of(new Renewal(hold, Duration.ofSeconds(1))))).singleElement()
			.isInstanceOfSatisfying(Renewed.class,
					(renewed) -> assertThat(renewed.lasts()).isGreaterThan(LEASE.dividedBy(2)));
	}

	/**
	 * Whether the last one is behind the clock, or ahead of it.
	 */
	@ParameterizedTest
	@EnumSource
	void nodesGrantDifferentTokens(LockMode mode) {
		long last = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + LEASE.toMillis());
		for (int i = 0; i < 30; i++) {
			int node = ThreadLocalRandom.current().nextInt(5);
			long token = tokenOf(mode, node);
			assertThat(token % 5).isEqualTo(node);
			assertThat(token).isLessThan(last);
		}
		String ahead = Long.toString(last);
		server.with((jedis) -> jedis.set("holdfast:{" + this.key + "}:token", ahead));
		for (int i = 0; i < 30; i++) {
			int node = ThreadLocalRandom.current().nextInt(5);
			long token = tokenOf(mode, node);
			assertThat(token % 5).isEqualTo(node);
			assertThat(token).isGreaterThan(last).isLessThanOrEqualTo(last + 5);
			last = token;
		}
	}

	private long tokenOf(LockMode mode, int node) {
		Claim claim = new Claim(List.of(this.key), "one:1", 1, mode, false, LEASE, null);
		Granted granted = (Granted) this.locks.attempt(claim, TENTATIVE, node, 5).outcome();
		this.locks.withdraw(claim, Duration.ZERO);
		return token(granted.grants());
	}

	private String countOf(String owner) {
		return server.ask((jedis) -> jedis.hget("holdfast:{" + this.key + "}", owner));
	}

	private boolean withdraw(Claim claim, List<Grant> granted, List<Grant> agreed) {
		return this.locks.takeBack(claim.keys(), claim.holder(), granted, agreed);
	}

	private List<Grant> later(List<Grant> grants) {
		return List.of(new Grant(this.key, token(grants) + 5));
	}

	@ParameterizedTest
	@EnumSource
	void isTakenBackWhetherItCountsOrNot(LockMode mode) {
		Claim claim = new Claim(List.of(this.key), "one:1", 1, mode, false, LEASE, null);
		List<Grant> granted = grants(claim);
		List<Grant> agreed = later(granted);
		assertThat(withdraw(claim, granted, agreed)).isFalse();
		assertThat(countOf(claim.holder())).isNull();
		assertThat(this.locks.confirm(claim, granted, agreed).held()).isFalse();
		granted = grants(claim);
		agreed = later(granted);
		assertThat(this.locks.confirm(claim, granted, agreed).held()).isTrue();
		assertThat(withdraw(claim, granted, agreed)).isTrue();
		assertThat(countOf(claim.holder())).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "rubbish", "9007199254740993" })
	void doesNotCountBesideALastTokenThatIsNone(String foreign) {
		List<Grant> granted = grants(claim("one:1"));
		try (Jedis jedis = server.connect()) {
			jedis.set("holdfast:{" + this.key + "}:token", foreign);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.locks.confirm(claim("one:1"), granted, granted))
				.withMessageContaining("What should be the last fencing token is none")
				.matches((failure) -> !failure.isTransient());
			assertThat(jedis.get("holdfast:{" + this.key + "}:token")).isEqualTo(foreign);
		}
		assertThat(countOf("one:1")).isEqualTo("0");
	}

}
