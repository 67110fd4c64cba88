package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUpgradeException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for shared and for fair locks.
 */
interface SharedAndFairLockTests extends LockFamily {

	@Test
	default void readersShareAndKeepWritersOut() {
		LockHandle first = one().template().acquire(shared());
		LockHandle second = acquire(one(), shared()).join();
		LockHandle third = acquire(two(), shared()).join();
		assertThat(List.of(first, second, third)).allSatisfy((lock) -> {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.mode()).isEqualTo(LockMode.SHARED);
		});
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
		for (LockHandle reader : List.of(first, second, third)) {
			assertThat(isDenied(two(), exclusive())).isTrue();
			assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isDenied(two(), exclusive())).isFalse();
	}

	@Test
	default void writerKeepsReadersOut() {
		try (LockHandle writer = one().template().acquire(exclusive())) {
			assertThat(isDenied(one(), shared())).isTrue();
			assertThat(isDenied(two(), shared())).isTrue();
			assertThat(writer.isHeld()).isTrue();
		}
		assertThat(isDenied(two(), shared())).isFalse();
	}

	@Test
	default void releaseOfAWriterLetsAllWaitingReadersIn() {
		LockHandle writer = one().template().acquire(exclusive());
		List<CompletableFuture<LockHandle>> readers = new ArrayList<>();
		for (TestInstance instance : List.of(one(), two(), one(), two())) {
			readers.add(acquire(instance, shared()));
		}
		awaitQueued(key(), 4);
		writer.release();
		readers.forEach((reader) -> assertThat(Threads.join(reader).isHeld()).isTrue());
		readers.forEach((reader) -> reader.join().release());
		assertThat(isDenied(one(), exclusive())).isFalse();
	}

	@Test
	default void readerHasALeaseOfItsOwn() {
		LockHandle dying = one().template()
			.acquire(shared().lease(Duration.ofMillis(400)).autoRenew(false).ownedByHandle());
		LockHandle living = acquire(two(), shared().lease(Duration.ofSeconds(20)).ownedByHandle()).join();
		assertThat(dying.remainingLease()).isLessThan(Duration.ofMillis(400));
		await().until(() -> !dying.isHeld());
		assertThat(living.isHeld()).isTrue();
		assertThat(living.remainingLease()).isGreaterThan(Duration.ofSeconds(10));
		assertThat(isDenied(one(), exclusive())).isTrue();
		living.release();
		assertThat(one().template().acquire(exclusive()).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	default void readersAreRenewed() {
		LockRequest brief = shared().lease(Duration.ofSeconds(6));
		LockHandle first = one().template().acquire(brief.ownedByHandle());
		LockHandle second = two().template().acquire(brief.ownedByHandle());
		List.of(one(), two())
			.forEach((instance) -> await().until(() -> instance.registry().status().lastRenewal() != null));
		assertThat(List.of(first, second)).allMatch(LockHandle::isHeld);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(one(), exclusive())).isTrue();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(one().events().lost()).isEmpty();
	}

	@Test
	default void waitingWriterGoesBeforeLaterReaders() {
		TestInstance one = patient();
		LockHandle reader = one.template().acquire(shared());
		CompletableFuture<LockHandle> writer = acquire(patient(), exclusive());
		awaitQueued(key(), 1);
		CompletableFuture<LockHandle> later = acquire(one, shared());
		awaitQueued(key(), 2);
		reader.release();
		LockHandle written = Threads.join(writer);
		assertThat(later).isNotDone();
		written.release();
		Threads.join(later).release();
	}

	@Test
	default void readerReentersAlthoughAWriterWaits() {
		LockHandle outer = one().template().acquire(shared());
		CompletableFuture<LockHandle> writer = acquire(two(), exclusive());
		awaitQueued(key(), 1);
		assertThat(isDenied(one(), shared())).isTrue();
		LockHandle inner = one().template().acquire(oneTry(shared()));
		assertThat(inner.holdCount()).isEqualTo(2);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		Threads.join(writer).release();
	}

	@Test
	default void writerMayTakeTheReadLockAndKeepIt() {
		ReadWriteLock lock = one().registry().readWriteLock(key());
		lock.writeLock().lock();
		lock.readLock().lock();
		assertThat(isDenied(two(), shared())).isTrue();
		lock.writeLock().unlock();
		assertThat(isDenied(two(), shared())).isFalse();
		assertThat(isDenied(two(), exclusive())).isTrue();
		assertThat(isDenied(one(), exclusive())).isTrue();
		lock.readLock().unlock();
		assertThat(isDenied(two(), exclusive())).isFalse();
	}

	@Test
	default void downgradeLetsWaitingReadersIn() {
		LockHandle writer = one().template().acquire(exclusive());
		LockHandle reader = one().template().acquire(shared());
		CompletableFuture<LockHandle> waiting = acquire(two(), shared());
		awaitQueued(key(), 1);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		Threads.join(waiting).release();
		assertThat(one().registry().held()).singleElement().extracting(LockSnapshot::mode).isEqualTo(LockMode.SHARED);
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	default void readerThatAsksForTheWriteLockFailsAtOnce() throws InterruptedException {
		ReadWriteLock lock = one().registry().readWriteLock(key());
		lock.readLock().lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(lock.writeLock()::lock)
			.withMessageContaining(key())
			.withMessageContaining("holds the shared one");
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> one().template().acquire(exclusive()));
		assertThat(lock.writeLock().tryLock()).isFalse();
		assertThat(lock.writeLock().tryLock(1, TimeUnit.MINUTES)).isFalse();
		lock.readLock().unlock();
		assertThat(lock.writeLock().tryLock()).isTrue();
		lock.writeLock().unlock();
	}

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
