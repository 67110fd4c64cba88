package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for fair locks.
 */
interface FairLockTests extends LockFamily {

	@Test
	default void fairWaitersAreServedInOrderOfArrival() {
		TestInstance one = patient();
		TestInstance two = patient();
		LockHandle first = one.template().acquire(exclusive());
		List<Integer> served = Collections.synchronizedList(new ArrayList<>());
		List<CompletableFuture<?>> waiters = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			TestInstance instance = (i % 3 == 0) ? one : two;
			int number = i;
			waiters.add(Threads.start(() -> {
				try (LockHandle lock = instance.template().acquire(exclusive().fair())) {
					served.add(number);
					return lock.fencingToken();
				}
			}));
			awaitQueued(key(), i + 1);
		}
		first.release();
		waiters.forEach(Threads::join);
		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
	}

	@Test
	default void othersDoNotOvertakeFairWaiters() {
		TestInstance one = patient();
		TestInstance two = patient();
		LockHandle first = one.template().acquire(exclusive());
		CompletableFuture<LockHandle> fair = acquire(two, exclusive().fair());
		awaitQueued(key(), 1);
		List<CompletableFuture<LockHandle>> others = List.of(acquire(one, exclusive()), acquire(one, shared()),
				acquire(two, exclusive()));
		awaitQueued(key(), 3);
		AbstractStoreTests.awaitParked(4);
		first.release();
		LockHandle served = Threads.join(fair);
		assertThat(others).noneMatch(CompletableFuture::isDone);
		served.release();
		others.forEach((other) -> other.thenAccept(LockHandle::release));
		others.forEach(Threads::join);
	}

	/**
	 * Unless the machine is too busy; then it is tried again.
	 */
	@Test
	default void deadFairWaiterDelaysOthersByASecondAtMost() {
		await().atMost(Duration.ofMinutes(2))
			.until(() -> delayByADeadFairWaiter().compareTo(Duration.ofSeconds(1)) < 0);
	}

	private Duration delayByADeadFairWaiter() {
		AtomicReference<FaultyStore> network = new AtomicReference<>();
		TestInstance dying = closing(new TestInstance((id) -> {
			network.set(new FaultyStore(kept().open(id)));
			return network.get();
		}));
		LockHandle first = one().template().acquire(exclusive());
		CompletableFuture<LockHandle> dead = acquire(dying, exclusive().fair());
		awaitQueued(key(), 1);
		network.get().loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		network.get().loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		CompletableFuture<LockHandle> next = acquire(two(), exclusive().fair());
		awaitQueued(key(), 2);
		long released = System.nanoTime();
		first.release();
		Threads.join(next).release();
		assertThat(dead).isNotDone();
		return Duration.ofNanos(System.nanoTime() - released);
	}

	@Test
	default void holderReentersPastFairWaiters() {
		Lock lock = one().registry().fairLock(key());
		lock.lock();
		CompletableFuture<LockHandle> waiter = acquire(two(), exclusive().fair());
		awaitQueued(key(), 1);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		one().registry().lock(key()).unlock();
		Threads.join(waiter).release();
	}

	@Test
	default void waiterWhosePlaceHasRunOutGoesToTheEnd() {
		LockHandle holder = two().template().acquire(exclusive());
		Duration brief = Duration.ofMillis(200);
		queueUp("brief", 1, brief);
		queueUp("long", 2, Duration.ofMinutes(1));
		one().store()
			.withdraw(Claims.exclusive(key(), "one:long", Duration.ofMinutes(1), 2,
					new LockStore.QueuePlace(place("long"), Duration.ofMinutes(1))), Duration.ZERO);
		queueUp("brief", 3, brief);
		await().until(() -> places().isEmpty());
		queueUp("later", 4, Duration.ofMinutes(1));
		queueUp("brief", 5, Duration.ofMinutes(1));
		assertThat(places()).containsExactly(place("later"), place("brief"));
		holder.release();
	}

	private void queueUp(String waiter, long number, Duration kept) {
		one().store()
			.acquire(new Claim(List.of(key()), one().id() + ":" + waiter, number, LockMode.EXCLUSIVE, true,
					Duration.ofSeconds(30), new QueuePlace(place(waiter), kept)));
	}

	private String place(String waiter) {
		return one().id() + ":" + waiter + "#1";
	}

	private List<String> places() {
		return one().store().view().look(List.of(key())).get(0).waiters();
	}

}
