package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Masters out of five that die or stand still while they are asked, or between two
 * requests.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumNodeFailureTests extends AbstractFiveMastersTests {

	/**
	 * The tokens of the first attempt are owed when the second is made.
	 */
	@Test
	void nextAttemptKeepsItsGrantWhileThatOfTheLastOneIsTakenBack() {
		lowerTimeout();
		QuorumLockStore disturbed = servers.openDisturbed("again", RedisProcess::freeze, 0, 1, 2);
		AtomicLong number = new AtomicLong();
		Supplier<Claim> next = () -> Claims.exclusive(this.key, "again:1", LEASE, number.incrementAndGet(), null);
		try {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> disturbed.acquire(next.get()));
		}
		finally {
			for (int i = 0; i < 3; i++) {
				servers.server(i).unfreeze();
			}
		}
		HoldId held = await().ignoreException(LockStoreException.class)
			.until(() -> disturbed.acquire(next.get()) instanceof Granted granted
					? new HoldId("again:1", granted.grants()) : null, (hold) -> hold != null);
		await().during(Duration.ofMillis(600)).until(() -> Claims.held(disturbed, this.key, "again:1").contains(held));
		assertThat(this.store.renew(List.of(new Renewal(held, LEASE)))).singleElement().isInstanceOf(Renewed.class);
		assertThat(this.store.release(held)).isTrue();
	}

	/**
	 * The nodes have granted, and have lost that when it is to count.
	 */
	@Test
	void grantThatIsLostBetweenTheRoundsIsNone() {
		QuorumLockStore disturbed = patient.openDisturbed("lost", (server) -> {
			server.with((jedis) -> jedis.del("holdfast:{" + this.key + "}"));
		}, 0, 1, 2);
		Claim claim = Claims.exclusive(this.key, "lost:1", LEASE, 0, null);
		assertThat(disturbed.acquire(claim)).isInstanceOf(Denied.class);
		awaitClean(0, 1, 2, 3, 4);
		assertThat(disturbed.acquire(claim)).isInstanceOf(Granted.class);
	}

	/**
	 * Each node grants by its own clock, or after the last token that it knows. Between
	 * the rounds of the first one, others share the lock and release it.
	 */
	@Test
	void sharersDoNotAgreeOnTheSameToken() {
		long last = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + LEASE.toMillis());
		for (int i = 0; i < 5; i++) {
			String token = Long.toString((i < 4) ? last : last + 1);
			servers.server(i).with((jedis) -> jedis.set("holdfast:{" + this.key + "}:token", token));
		}
		QuorumLockStore others = patient.openDisturbed("others", Map.of(4, (call) -> {
			throw new RedisConnectionFailureException("Not to be asked");
		}));
		List<Long> tokens = new ArrayList<>();
		QuorumLockStore disturbed = patient.openDisturbed("one", (server) -> {
			synchronized (tokens) {
				while (tokens.size() < 2) {
					Granted share = granted(others, shared("others:" + tokens.size()));
					assertThat(others.release(share.hold())).isTrue();
					tokens.add(share.grants().get(0).token());
				}
			}
		}, 0, 1, 2, 3, 4);
		tokens.add(((Granted) disturbed.acquire(shared("one:1"))).grants().get(0).token());
		assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
	}

	private Claim shared(String owner) {
		return new Claim(List.of(this.key), owner, 1, LockMode.SHARED, false, LEASE, null);
	}

	@Test
	void majorityThatDiesBetweenTheRoundsGrantsNothing() {
		QuorumLockStore disturbed = patient.openDisturbed("died", RedisProcess::kill, 0, 1, 2);
		this.down[0] = true;
		this.down[1] = true;
		this.down[2] = true;
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> disturbed.acquire(Claims.exclusive(this.key, "died:1", LEASE, 0, null)))
			.withMessageContaining("2 of 5");
		awaitClean(3, 4);
	}

	@Test
	void grantThatNobodyDecidesOnIsGoneSoon() {
		List<Long> lasting = new CopyOnWriteArrayList<>();
		QuorumLockStore disturbed = patient.openDisturbed("dying", (server) -> lasting.add(lasts(server)), 0, 1, 2, 3,
				4);
		Claim claim = Claims.exclusive(this.key, "dying:1", LEASE, 0, null);
		assertThat(disturbed.acquire(claim)).isInstanceOf(Granted.class);
		await().until(() -> lasting.size() == 5);
		assertThat(lasting).allSatisfy((millis) -> assertThat(millis).isPositive()
			.isLessThanOrEqualTo(PATIENCE.multipliedBy(4).toMillis() + 500));
		await().untilAsserted(() -> assertThat(servers.all())
			.allSatisfy((server) -> assertThat(lasts(server)).isGreaterThan(20_000)));
	}

	/**
	 * One node does not answer the second round before the hold is there. What it has
	 * granted in the first must last until then.
	 */
	@Test
	void lateConfirmationBelongsToTheHoldAndIsReleasedWithIt() {
		QuorumLockStore disturbed = patient.openDisturbed("late", RedisProcess::freeze, 4);
		HoldId held;
		try {
			held = new HoldId("late:1",
					((Granted) disturbed.acquire(Claims.exclusive(this.key, "late:1", LEASE, 0, null))).grants());
		}
		finally {
			servers.server(4).unfreeze();
		}
		await().until(() -> "1".equals(countOn(4, "late:1")));
		await().during(Duration.ofMillis(600)).until(() -> "1".equals(countOn(4, "late:1")));
		assertThat(this.store.release(held)).isTrue();
		awaitClean(0, 1, 2, 3, 4);
	}

	@Test
	void frozenNodeIsNotWaitedForAgain() {
		lowerTimeout();
		RedisProcess frozen = servers.server(4);
		frozen.freeze();
		try {
			assertThat(this.store.release(hold("one:0"))).isTrue();
			long start = System.nanoTime();
			for (int i = 1; i <= 100; i++) {
				assertThat(this.store.release(hold("one:" + i))).isTrue();
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(NODE_TIMEOUT.multipliedBy(50));
		}
		finally {
			frozen.unfreeze();
		}
		await().until(() -> {
			HoldId held = hold("one:1");
			boolean everywhere = "1".equals(countOn(4, "one:1"));
			return this.store.release(held) && everywhere;
		});
		awaitClean(0, 1, 2, 3, 4);
	}

	@Test
	void closingSettlesWhatCanBeSettledAndEndsTheThreads() {
		lowerTimeout();
		QuorumLockStore closing = servers.open("closing");
		HoldId held = new HoldId("closing:1",
				granted(closing, Claims.exclusive(this.key, "closing:1", LEASE, 0, null)).grants());
		Set<Thread> others = threadsThatSend();
		servers.server(3).freeze();
		assertThat(closing.release(held)).isTrue();
		Set<Thread> own = await().until(() -> threadsBesides(others), (threads) -> !threads.isEmpty());
		servers.server(3).unfreeze();
		closing.close();
		await().atMost(LEASE.dividedBy(2))
			.untilAsserted(
					() -> assertThat(servers.all()).allSatisfy((server) -> assertThat(lasts(server)).isNegative()));
		await().until(() -> own.stream().noneMatch(Thread::isAlive));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> closing.acquire(Claims.exclusive(this.key, "closing:2", LEASE, 0, null)));
	}

	private static Set<Thread> threadsBesides(Set<Thread> others) {
		Set<Thread> threads = new HashSet<>(threadsThatSend());
		threads.removeAll(others);
		return threads;
	}

	private static Set<Thread> threadsThatSend() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> Set.of("holdfast-store", "holdfast-timer").contains(thread.getName()))
			.collect(Collectors.toSet());
	}

}
