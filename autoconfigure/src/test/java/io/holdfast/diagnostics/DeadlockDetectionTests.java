package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.TestInstance;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When deadlocks are looked for, and how often they are told, whatever the store; and
 * those of owners of locks in memory.
 */
@Tag("any-jdk")
@Tag("slow")
class DeadlockDetectionTests extends AbstractDeadlockTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	/**
	 * Places of waiters that are gone are gone as well.
	 */
	@Override
	Deadlocks.Pace pace() {
		return new Deadlocks.Pace(Duration.ofMillis(100), Duration.ofMillis(150), Duration.ofMillis(250),
				Duration.ofMillis(250));
	}

	@Test
	void deadlockThatComesBackIsToldAgain() {
		for (int times = 1; times <= 2; times++) {
			int expected = times;
			CyclicBarrier barrier = new CyclicBarrier(2);
			party(this.one, barrier, a(), b());
			party(this.one, barrier, b(), a().waitFor(Duration.ofSeconds(5)));
			await().atMost(Duration.ofSeconds(20)).until(() -> told().size() == expected);
			this.parties.forEach((party) -> await().atMost(Duration.ofSeconds(20)).until(party::isDone));
		}
	}

	/**
	 * The same two holds, but a new wait each time.
	 */
	@Test
	void whoGivesUpSoonIsNotTold() {
		Deadlocks.Pace pace = new Deadlocks.Pace(pace().leastWait(), pace().first(), Duration.ofSeconds(2),
				pace().interval());
		TestInstance one = looking(pace);
		TestInstance two = looking(pace);
		CyclicBarrier barrier = new CyclicBarrier(2);
		party(one, barrier, a(), b());
		AtomicBoolean done = new AtomicBoolean();
		this.parties.add(Threads.start(() -> {
			LockHandle outer = two.template().acquire(b());
			barrier.await(30, TimeUnit.SECONDS);
			while (!done.get()) {
				assertThat(two.template().tryAcquire(a().waitFor(Duration.ofMillis(200)))).isEmpty();
			}
			return outer.release();
		}));
		await().during(pace.confirmation().multipliedBy(2)).until(() -> told().isEmpty());
		done.set(true);
		this.parties.forEach(Threads::join);
	}

	@Test
	void deadlockOverSeveralKeysIsToldOnce() {
		String[] several = { this.key + "-d", this.key + "-c" };
		CyclicBarrier barrier = new CyclicBarrier(2);
		party(this.one, barrier, LockRequest.of(several), a());
		party(this.one, barrier, a(), LockRequest.of(several).waitForever());
		assertThat(awaitToldOnce().values().values()).contains(this.key + "-a", this.key + "-c");
	}

	@Test
	void storeIsNotAskedWhileNobodyWhoHoldsSomethingWaits() {
		TestInstance instance = looking();
		FaultyStore itsNetwork = network();
		LockHandle held = instance.template().acquire(a());
		CompletableFuture<LockHandle> waiter = Threads.start(() -> instance.template().acquire(a()));
		await().during(Duration.ofSeconds(1)).until(() -> itsNetwork.calls(Operation.VIEW) == 0);
		assertThat(held.isHeld()).isTrue();
		held.release();
		Threads.join(waiter);
	}

	@Test
	void nothingIsLookedForUnlessItIsAskedFor() {
		TestInstance some = notLooking();
		FaultyStore itsNetwork = network();
		TestInstance other = notLooking();
		meet(some, a(), other, b());
		assertNeverTold();
		assertThat(itsNetwork.calls(Operation.VIEW) + network().calls(Operation.VIEW)).isZero();
	}

	@Test
	void lookThatFailsIsRepeated() {
		TestInstance instance = looking();
		network().loseRequests(Operation.VIEW, 1);
		meet(instance, a(), instance, b());
		awaitToldOnce();
	}

}
