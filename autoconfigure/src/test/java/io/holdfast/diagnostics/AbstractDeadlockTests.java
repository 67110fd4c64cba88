package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.AbstractStoreTests;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.TestInstance;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.store.LockStore;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RecordedLog.Line;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Owners that wait for each other's locks.
 */
public abstract class AbstractDeadlockTests extends AbstractStoreTests {

	private static final Duration CONFIRMATION = HoldfastLockRegistry.POLL.multipliedBy(3);

	final List<CompletableFuture<?>> parties = new ArrayList<>();

	final List<FaultyStore> networks = new ArrayList<>();

	TestInstance one;

	TestInstance two;

	private RecordedLog log;

	@BeforeEach
	void createInstances() {
		this.log = new RecordedLog();
		this.one = looking();
		this.two = looking();
	}

	/**
	 * Return how often to look: as often as can be, but for the time that a store keeps
	 * places of waiters that are gone.
	 */
	Deadlocks.Pace pace() {
		return new Deadlocks.Pace(Duration.ofMillis(200), Duration.ofMillis(250), CONFIRMATION, Duration.ofMillis(400));
	}

	TestInstance looking() {
		return looking(pace());
	}

	TestInstance looking(Deadlocks.Pace pace) {
		return closing(new TestInstance(this::open, new LockDiagnostics(null, null, pace)));
	}

	TestInstance notLooking() {
		return closing(new TestInstance(this::open));
	}

	private LockStore open(String instanceId) {
		FaultyStore network = new FaultyStore(stores().open(instanceId));
		this.networks.add(network);
		return network;
	}

	/**
	 * Return the network of the instance that was created last.
	 */
	FaultyStore network() {
		return this.networks.get(this.networks.size() - 1);
	}

	@AfterEach
	void endDeadlocks() {
		closeInstances();
		this.parties.forEach((party) -> await().until(party::isDone));
		this.log.close();
	}

	LockRequest a() {
		return LockRequest.of(this.key + "-a").waitForever();
	}

	LockRequest b() {
		return LockRequest.of(this.key + "-b").waitForever();
	}

	/**
	 * Have a thread take a lock, and another one once the other party has its first.
	 */
	void party(TestInstance instance, CyclicBarrier barrier, LockRequest first, LockRequest then) {
		this.parties.add(Threads.start(() -> {
			try (LockHandle outer = instance.template().acquire(first)) {
				barrier.await(30, TimeUnit.SECONDS);
				try (LockHandle inner = instance.template().acquire(then)) {
					return outer.isHeld() && inner.isHeld();
				}
			}
		}));
	}

	void meet(TestInstance some, LockRequest itsFirst, TestInstance other, LockRequest othersFirst) {
		CyclicBarrier barrier = new CyclicBarrier(2);
		party(some, barrier, itsFirst, othersFirst);
		party(other, barrier, othersFirst, itsFirst);
	}

	List<Line> told() {
		return this.log.lines("Deadlock suspected", this.key);
	}

	Line awaitToldOnce() {
		await().until(() -> !told().isEmpty());
		Duration again = pace().interval().plus(pace().confirmation()).multipliedBy(2);
		await().during(again).atMost(again.plusSeconds(20)).until(() -> told().size() == 1);
		return told().get(0);
	}

	/**
	 * For as long as it takes to look several times.
	 */
	void assertNeverTold() {
		Duration several = pace().first().plus(pace().interval().plus(pace().confirmation()).multipliedBy(2));
		await().during(several).atMost(several.plusSeconds(20)).until(() -> told().isEmpty());
	}

	@Test
	void deadlockOfTwoInstancesIsToldByOne() {
		meet(this.one, a(), this.two, b());
		Line line = awaitToldOnce();
		assertThat(line.level()).isEqualTo("WARN");
		assertThat(line.values()).containsOnlyKeys("key", "owner", "otherKey", "otherOwner");
		boolean oneIsFirst = line.values().get("owner").startsWith(this.one.id() + ":");
		assertThat(line.values().get("otherOwner")).startsWith((oneIsFirst ? this.two : this.one).id() + ":");
		assertThat(line.values().get("key")).isEqualTo(this.key + (oneIsFirst ? "-a" : "-b"));
		assertThat(line.values().get("otherKey")).isEqualTo(this.key + (oneIsFirst ? "-b" : "-a"));
		assertThat(line.text()).contains(line.values().values());
	}

	@Test
	void deadlockOfTwoThreadsOfOneInstanceIsToldOnce() {
		meet(this.one, a(), this.one, b());
		Line line = awaitToldOnce();
		assertThat(line.values().get("owner")).startsWith(this.one.id() + ":");
		assertThat(line.values().get("otherOwner")).startsWith(this.one.id() + ":")
			.isNotEqualTo(line.values().get("owner"));
	}

	@Test
	void whoSharesCanBePartOfADeadlock() {
		CyclicBarrier barrier = new CyclicBarrier(2);
		party(this.one, barrier, a().shared(), b());
		party(this.two, barrier, b().shared(), a());
		awaitToldOnce();
	}

	/**
	 * Behind another thread of its instance, it has no place that the other instance
	 * could see.
	 */
	@Test
	void deadlockThatOnlyTheInstanceOfTheGreaterOwnerSeesIsToldByThat() {
		boolean ordered = this.one.id().compareTo(this.two.id()) < 0;
		TestInstance smaller = ordered ? this.one : this.two;
		TestInstance greater = ordered ? this.two : this.one;
		CountDownLatch taken = new CountDownLatch(1);
		CyclicBarrier barrier = new CyclicBarrier(2);
		this.parties.add(Threads.start(() -> {
			smaller.template().acquire(a());
			taken.countDown();
			barrier.await(30, TimeUnit.SECONDS);
			return smaller.template().acquire(b());
		}));
		Threads.await(taken);
		this.parties.add(Threads.start(() -> greater.template().acquire(a())));
		await().until(() -> stores().isQueued(this.key + "-a", 1));
		party(greater, barrier, b(), a());
		await().until(() -> greater.registry().operations().waiting().size() == 2);
		awaitToldOnce();
		assertThat(stores().isQueued(this.key + "-a", 1)).isTrue();
	}

	@Test
	void chainIsNoDeadlock() {
		LockHandle end = this.two.template().acquire(b());
		CountDownLatch taken = new CountDownLatch(1);
		this.parties.add(Threads.start(() -> {
			this.one.template().acquire(a());
			taken.countDown();
			return this.one.template().acquire(b());
		}));
		Threads.await(taken);
		this.parties.add(Threads.start(() -> this.two.template().acquire(a())));
		await().until(() -> stores().isQueued(this.key + "-b", 1) && stores().isQueued(this.key + "-a", 1));
		assertNeverTold();
		assertThat(end.isHeld()).isTrue();
	}

	/**
	 * All have a lock of their own, and hand another one around for which each waits
	 * longer than it takes to be looked at. Meanwhile they try each other's for a moment.
	 */
	@Test
	void busyHandOverIsNoDeadlock() {
		long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
		AtomicInteger turns = new AtomicInteger();
		for (int i = 0; i < 10; i++) {
			TestInstance instance = (i % 2 == 0) ? this.one : this.two;
			int number = i;
			this.parties.add(Threads.start(() -> {
				try (LockHandle own = instance.template().acquire(own(number).waitFor(Duration.ofSeconds(5)))) {
					while (own.isHeld() && (System.nanoTime() - end < 0 || turns.get() <= 5)) {
						turns.addAndGet(takeTurn(instance));
					}
				}
				return true;
			}));
		}
		this.parties.forEach(Threads::join);
		assertThat(turns).hasValueGreaterThan(5);
		assertThat(this.networks).anyMatch((network) -> network.calls(Operation.VIEW) > 0);
		assertThat(told()).isEmpty();
	}

	private LockRequest own(int number) {
		return LockRequest.of(this.key + "-own-" + number).waitFor(Duration.ofMillis(40));
	}

	private int takeTurn(TestInstance instance) {
		try (LockHandle turn = instance.template().acquire(a())) {
			for (int i = 0; i < 8; i++) {
				instance.template()
					.tryAcquire(own(ThreadLocalRandom.current().nextInt(10)))
					.ifPresent(LockHandle::close);
			}
			return turn.isHeld() ? 1 : 0;
		}
		catch (LockUnavailableException ex) {
			return 0; // a server that is too busy to answer in time does not matter here
		}
	}

}
