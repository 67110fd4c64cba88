package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.quorum.PendingRequest.TakeBack;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is taken back later.
 */
@Tag("any-jdk")
class PendingRequestsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisProcess server = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(server.port(), 8, Duration.ofMillis(100));

	private final RedisLockStore store = new RedisLockStore(this.connections, "holdfast", Duration.ofHours(1),
			ReplicaAcks.NONE);

	private final PendingRequests pending = new PendingRequests(new NodeLocks(this.store, Duration.ofHours(1)));

	private final String key = "k-" + UUID.randomUUID();

	@AfterEach
	void close() {
		this.pending.close();
		this.store.close();
		this.connections.destroy();
	}

	private HoldId hold(String lock, String owner) {
		Claim claim = Claims.exclusive(lock, owner, LEASE, 0, null);
		return await().ignoreExceptions()
			.until(() -> new HoldId(owner, ((Granted) this.store.acquire(claim)).grants()), (hold) -> true);
	}

	private boolean isLocked(String lock) {
		try (Jedis jedis = server.connect()) {
			return jedis.exists("holdfast:{" + lock + "}");
		}
	}

	@Test
	void holdIsReleasedOnceTheNodeAnswers() {
		HoldId hold = hold(this.key, "one:1");
		server.freeze();
		try {
			this.pending.add(TakeBack.of(hold), LEASE);
			await().during(Duration.ofMillis(300)).until(() -> this.pending.count() == 1);
		}
		finally {
			server.unfreeze();
		}
		await().until(() -> !isLocked(this.key));
		await().until(() -> this.pending.count() == 0);
	}

	@Test
	void requestsThatAlwaysFailAreDropped() {
		try (Jedis jedis = server.connect()) {
			jedis.hset("holdfast:{" + this.key + "}", Map.of("one:1", "1", "mode", "shared", "token", "7"));
			jedis.set("holdfast:{" + this.key + "}:shares", "not what it should be");
		}
		this.pending.add(TakeBack.of(new HoldId(this.key, "one:1", 7)), LEASE);
		await().until(() -> this.pending.count() == 0);
		assertThat(isLocked(this.key)).isTrue();
	}

	/**
	 * Each fails the first time only, but there are more of them than failures are put up
	 * with at once.
	 */
	@Test
	void requestsThatFailDoNotHoldUpOthers() {
		List<HoldId> holds = IntStream.range(0, 8).mapToObj((i) -> hold(this.key + i, "one:1")).toList();
		try (Jedis jedis = server.connect()) {
			for (int i = 0; i < 6; i++) {
				jedis.zadd("holdfast:{" + this.key + i + "}:queue", 1, "names no instance");
				jedis.zadd("holdfast:{" + this.key + i + "}:deadlines", Double.MAX_VALUE, "names no instance");
			}
		}
		holds.forEach((hold) -> this.pending.add(TakeBack.of(hold), LEASE));
		await().until(() -> this.pending.count() == 0);
		assertThat(holds).noneMatch((hold) -> isLocked(hold.keys().get(0)));
	}

	@Test
	void whatIsOverIsForgotten() {
		server.freeze();
		try {
			this.pending.add(TakeBack.of(new HoldId("a", "one:1", 7)), Duration.ofMillis(300));
			this.pending.add(TakeBack.of(new HoldId("b", "one:1", 7)), LEASE);
			assertThat(this.pending.count()).isEqualTo(2);
			await().until(() -> this.pending.count() == 1);
		}
		finally {
			server.unfreeze();
		}
	}

	@Test
	void lateAnswersStartNoThreadsAfterTheEnd() {
		assertThat(this.pending.close()).isEmpty();
		Set<Thread> others = threads();
		server.freeze();
		try {
			this.pending.add(TakeBack.of(new HoldId("late", "one:1", 7)), LEASE);
			assertThat(this.pending.count()).isEqualTo(0);
			assertThat(threads()).isSubsetOf(others);
		}
		finally {
			server.unfreeze();
		}
	}

	private static Set<Thread> threads() {
		Set<Thread> threads = Threads.named("holdfast-store");
		threads.addAll(Threads.named("holdfast-timer"));
		return threads;
	}

}
