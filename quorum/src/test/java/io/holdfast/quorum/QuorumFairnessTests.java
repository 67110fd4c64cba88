package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Places in the queues of three masters.
 */
@Tag("any-jdk")
class QuorumFairnessTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration KEPT = Duration.ofMinutes(1);

	/**
	 * More than enough for what happens one time in four to happen.
	 */
	private static final int OFTEN = 60;

	@RegisterExtension
	static final QuorumServers servers = QuorumServers.sure(3);

	private final String key = "k-" + UUID.randomUUID();

	private final QuorumLockStore store = servers.open("one");

	@BeforeEach
	void warmUp() {
		await().ignoreException(LockStoreException.class).until(() -> {
			Claim claim = Claims.exclusive("warm-up", "one:0", LEASE, 0, null);
			HoldId warm = new HoldId("one:0", ((Granted) this.store.acquire(claim)).grants());
			return this.store.release(warm);
		});
	}

	private Claim fair(String waiter, Duration lease) {
		return new Claim(List.of(this.key), "one:" + waiter, 1, LockMode.EXCLUSIVE, true, lease,
				new QueuePlace(place(waiter), KEPT));
	}

	private static String place(String waiter) {
		return "one:" + waiter + "#1";
	}

	private void queue(int node, String... waiters) {
		String lock = "holdfast:{" + this.key + "}";
		try (Jedis jedis = servers.server(node).connect()) {
			for (int i = 0; i < waiters.length; i++) {
				jedis.zadd(lock + ":queue", i + 1, place(waiters[i]));
				jedis.zadd(lock + ":fair", i + 1, place(waiters[i]));
				jedis.zadd(lock + ":deadlines", System.currentTimeMillis() + KEPT.toMillis(), place(waiters[i]));
			}
		}
	}

	private List<String> queueOn(RedisProcess server) {
		return server.ask((jedis) -> jedis.zrange("holdfast:{" + this.key + "}:queue", 0, -1));
	}

	@Test
	void nobodyStepsBackWhenAnotherIsFirstOnAMajority() {
		queue(0, "b", "a");
		queue(1, "a", "b");
		queue(2, "a", "b");
		for (int i = 0; i < OFTEN; i++) {
			assertThat(this.store.acquire(fair("b", LEASE))).isInstanceOf(Denied.class);
		}
		assertThat(queueOn(servers.server(0))).containsExactly(place("b"), place("a"));
		assertThat(queueOn(servers.server(1))).containsExactly(place("a"), place("b"));
		assertThat(this.store.acquire(fair("a", LEASE))).isInstanceOf(Granted.class);
	}

	@Test
	void waitersOfWhomEachIsFirstSomewhereAgreeInTheEnd() {
		queue(0, "a", "b", "c");
		queue(1, "b", "c", "a");
		queue(2, "c", "a", "b");
		await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> List.of("a", "b", "c")
				.stream()
				.anyMatch((waiter) -> this.store.acquire(fair(waiter, LEASE)) instanceof Granted));
	}

	/**
	 * No holder releases the lock and wakes it. Places of unfair waiters keep fair ones
	 * from their turn, too.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waiterThatIsFirstSomewhereTriesAgainSoon(boolean fair) {
		queue(0, "a", "b", "c");
		queue(1, "b", "c", "a");
		queue(2, "c", "a", "b");
		Claim claim = new Claim(List.of(this.key), "one:a", 1, LockMode.EXCLUSIVE, fair, LEASE,
				new QueuePlace(place("a"), KEPT));
		assertThat(this.store.acquire(claim)).isInstanceOfSatisfying(Denied.class,
				(denied) -> assertThat(denied.remaining()).isLessThanOrEqualTo(Duration.ofMillis(60)));
	}

	@Test
	void placeIsKeptUntilTheLockIsThere() {
		QuorumLockStore disturbed = servers.openDisturbed("one", (server) -> {
			server.with((jedis) -> jedis.del("holdfast:{" + this.key + "}"));
		}, 0, 1);
		for (int i = 0; i < 3; i++) {
			queue(i, "a", "b");
		}
		assertThat(disturbed.acquire(fair("a", LEASE))).isInstanceOf(Denied.class);
		assertThat(servers.all())
			.allSatisfy((server) -> assertThat(queueOn(server)).containsExactly(place("a"), place("b")));
		await().until(() -> disturbed.acquire(fair("a", LEASE)) instanceof Granted);
		await().untilAsserted(() -> assertThat(servers.all())
			.allSatisfy((server) -> assertThat(queueOn(server)).containsExactly(place("b"))));
	}

}
