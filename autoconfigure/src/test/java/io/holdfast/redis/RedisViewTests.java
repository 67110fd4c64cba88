package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators see of what is in Redis, be it ours or not.
 */
@Tag("any-jdk")
@Tag("slow")
class RedisViewTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.patientJedis(redis.port());

	private final TestInstance instance = instance("holdfast");

	private final StoreView view = this.instance.registry().operations().view();

	private Jedis jedis;

	private TestInstance instance(String prefix) {
		return new TestInstance(
				(id) -> new RedisLockStore(this.connections, prefix, Duration.ofHours(1), ReplicaAcks.NONE));
	}

	@BeforeEach
	void connect() {
		this.jedis = redis.connect();
		this.jedis.flushAll();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.jedis.close();
		this.connections.destroy();
	}

	@Test
	void hashesWithOddNumbersAreNeitherSeenNorReleased() {
		this.jedis.hset("holdfast:{k}", Map.of("token", "12", "mode", "exclusive", "x:1", "many"));
		this.jedis.hset("holdfast:{l}", Map.of("token", "a dozen", "mode", "exclusive", "x:1", "1"));
		this.jedis.hset("holdfast:{m}", Map.of("token", "9".repeat(30), "mode", "exclusive", "x:1", "1"));
		this.jedis.hset("holdfast:{n}", Map.of("token", "12", "mode", "exclusive", "x:1", "9".repeat(30)));
		this.jedis.hset("holdfast:{o}", Map.of("mode", "shared", "x:1", "-1"));
		this.jedis.zadd("holdfast:{o}:shares", 1e15, "12@x:1");
		assertThat(this.view.look(List.of("k", "l", "m", "n", "o"))).isEmpty();
		for (String key : List.of("k", "l", "m", "n", "o")) {
			assertThat(
					this.instance.registry().operations().forceRelease(key, null, Duration.ofSeconds(20)).isReleased())
				.isFalse();
			assertThat(this.jedis.exists("holdfast:{" + key + "}")).isTrue();
		}
	}

	@Test
	void whoeverIsGrantedALockAfterItWasLookedAtKeepsIt() {
		LockHandle lock = this.instance.template().acquire("k");
		List<LockHandle> next = new ArrayList<>();
		StoreView slow = viewDisturbedBefore(2, () -> {
			lock.release();
			next.add(this.instance.template().acquire("k"));
		});
		ForcedRelease release = slow.forceRelease("k", null, Duration.ofSeconds(20));
		assertThat(release.before().holders()).extracting(Holder::token).containsExactly(lock.fencingToken());
		assertThat(release.isReleased()).isFalse();
		assertThat(next.get(0).extend(Duration.ofSeconds(30))).isTrue();
	}

	@Test
	void releaseByForceThatReachesRedisTooLateChangesNothing() {
		LockHandle lock = this.instance.template().acquire("k");
		Duration within = Duration.ofMillis(300);
		StoreView slow = viewDisturbedBefore(2, () -> {
			long begin = System.nanoTime();
			await().until(() -> System.nanoTime() - begin > within.toNanos());
		});
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> slow.forceRelease("k", null, within))
			.withMessageContainingAll("too late", "'k'");
		assertThat(lock.extend(Duration.ofSeconds(30))).isTrue();
	}

	private static RedisConnectionFactory disturbedBefore(JedisConnectionFactory connections, int disturbed,
			Runnable disturbance) {
		return DisturbedConnections.of(connections, (call) -> {
			if (call == disturbed) {
				disturbance.run();
			}
		});
	}

	private StoreView viewDisturbedBefore(int disturbed, Runnable disturbance) {
		RedisConnectionFactory slow = disturbedBefore(this.connections, disturbed, disturbance);
		return new RedisView(new LockClient(slow), new LockKeys("holdfast"));
	}

	@Test
	void lockThatVeryManyShareIsReleasedByForce() {
		addShares(0, 2_500);
		KeyState state = this.view.look(List.of("k")).get(0);
		assertThat(state.holders()).hasSize(StoreView.MOST);
		assertThat(state.holderCount()).isEqualTo(2_500);
		assertThat(this.view.forceRelease("k", null, LONG).released()).extracting(Holder::token)
			.hasSize(2_500)
			.doesNotHaveDuplicates();
		assertThat(this.jedis.exists("holdfast:{k}", "holdfast:{k}:shares")).isZero();
	}

	@Test
	void whatMayHaveBeenReleasedIsLoggedWhenTheAnswerIsLost() {
		LockHandle lock = this.instance.template().acquire("k");
		JedisConnectionFactory impatient = Connections.jedis(redis.port(), 8, Duration.ofSeconds(3));
		TestInstance operator = RedisStores.instance(disturbedBefore(impatient, 2, redis::freeze));
		try (operator; RecordedLog log = new RecordedLog()) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> operator.registry().operations().forceRelease("k", null, LONG));
			assertThat(log.lines("may have been released by force", "'k'")).singleElement().satisfies((line) -> {
				assertThat(line.values()).containsEntry("token", "null").containsEntry("key", "k");
				assertThat(line.hasTrace()).isFalse();
			});
		}
		finally {
			redis.unfreeze();
			impatient.destroy();
		}
		await().untilAsserted(() -> assertThat(this.jedis.exists("holdfast:{k}")).isFalse());
		lock.release();
	}

	private void addShares(int from, int to) {
		double ends = Long.parseLong(this.jedis.time().get(0)) * 1000 + 60_000;
		try (Pipeline pipeline = this.jedis.pipelined()) {
			for (int i = from + 1; i <= to; i++) {
				pipeline.hset("holdfast:{k}", "x:" + i, "1");
				pipeline.zadd("holdfast:{k}:shares", ends - i, i + "@x:" + i);
			}
			pipeline.hset("holdfast:{k}", Map.of("mode", "shared", "token", String.valueOf(to)));
		}
	}

	@Test
	void fewLocksAreFoundAmongManyOtherKeysAndASearchEndsWhenItsTimeIsOver() {
		this.jedis.eval("for i = 1, 50000 do redis.call('set', 'other:' .. i, '') end");
		this.instance.template().acquire(LockRequest.of("a", "b"));
		HeldKeys held = this.view.heldKeys(1_000, LONG);
		assertThat(held.keys()).containsExactlyInAnyOrder("a", "b");
		assertThat(held.complete()).isTrue();
		assertThat(this.view.heldKeys(1_000, Duration.ZERO).complete()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "h*", "h?d", "[a-z]", "h^]", "back\\slash" })
	void prefixIsTakenLiterally(String prefix) {
		LockHandle other = this.instance.template().acquire("k");
		try (TestInstance odd = instance(prefix)) {
			assertThat(odd.registry().operations().view().heldKeys(1_000, LONG).keys()).isEmpty();
			odd.template().acquire("mine");
			assertThat(odd.registry().operations().view().heldKeys(1_000, LONG).keys()).containsExactly("mine");
		}
		assertThat(this.view.heldKeys(1_000, LONG).keys()).containsExactly("k");
		other.release();
	}

}
