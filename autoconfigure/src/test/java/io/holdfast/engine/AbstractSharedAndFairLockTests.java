package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUpgradeException;
import io.holdfast.ReleaseResult;
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
abstract class AbstractSharedAndFairLockTests extends AbstractStoreTests {

	@Test
	void readersShareAndKeepWritersOut() {
		LockHandle first = this.one.template().acquire(shared());
		LockHandle second = acquire(this.one, shared()).join();
		LockHandle third = acquire(this.two, shared()).join();
		assertThat(List.of(first, second, third)).allSatisfy((lock) -> {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.mode()).isEqualTo(LockMode.SHARED);
		});
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
		for (LockHandle reader : List.of(first, second, third)) {
			assertThat(isDenied(this.two, exclusive())).isTrue();
			assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isDenied(this.two, exclusive())).isFalse();
	}

	@Test
	void releaseOfAWriterLetsAllWaitingReadersIn() {
		LockHandle writer = this.one.template().acquire(exclusive());
		List<CompletableFuture<LockHandle>> readers = new ArrayList<>();
		for (TestInstance instance : List.of(this.one, this.two, this.one, this.two)) {
			readers.add(acquire(instance, shared()));
		}
		awaitQueued(this.key, 4);
		writer.release();
		readers.forEach((reader) -> assertThat(Threads.join(reader).isHeld()).isTrue());
		readers.forEach((reader) -> reader.join().release());
		assertThat(isDenied(this.one, exclusive())).isFalse();
	}

	@Test
	void readerHasALeaseOfItsOwn() {
		LockHandle dying = this.one.template()
			.acquire(shared().lease(Duration.ofMillis(400)).autoRenew(false).ownedByHandle());
		LockHandle living = acquire(this.two, shared().lease(Duration.ofSeconds(20)).ownedByHandle()).join();
		assertThat(dying.remainingLease()).isLessThan(Duration.ofMillis(400));
		await().until(() -> !dying.isHeld());
		assertThat(living.isHeld()).isTrue();
		assertThat(living.remainingLease()).isGreaterThan(Duration.ofSeconds(10));
		assertThat(isDenied(this.one, exclusive())).isTrue();
		living.release();
		assertThat(this.one.template().acquire(exclusive()).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waitingWriterGoesBeforeLaterReaders() {
		TestInstance one = newPatientInstance();
		LockHandle reader = one.template().acquire(shared());
		CompletableFuture<LockHandle> writer = acquire(newPatientInstance(), exclusive());
		awaitQueued(this.key, 1);
		CompletableFuture<LockHandle> later = acquire(one, shared());
		awaitQueued(this.key, 2);
		reader.release();
		LockHandle written = Threads.join(writer);
		assertThat(later).isNotDone();
		written.release();
		Threads.join(later).release();
	}

	@Test
	void readerReentersAlthoughAWriterWaits() {
		LockHandle outer = this.one.template().acquire(shared());
		CompletableFuture<LockHandle> writer = acquire(this.two, exclusive());
		awaitQueued(this.key, 1);
		assertThat(isDenied(this.one, shared())).isTrue();
		LockHandle inner = this.one.template().acquire(oneTry(shared()));
		assertThat(inner.holdCount()).isEqualTo(2);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		Threads.join(writer).release();
	}

	@Test
	void writerMayTakeTheReadLockAndKeepIt() {
		ReadWriteLock lock = this.one.registry().readWriteLock(this.key);
		lock.writeLock().lock();
		lock.readLock().lock();
		assertThat(isDenied(this.two, shared())).isTrue();
		lock.writeLock().unlock();
		assertThat(isDenied(this.two, shared())).isFalse();
		assertThat(isDenied(this.two, exclusive())).isTrue();
		assertThat(isDenied(this.one, exclusive())).isTrue();
		lock.readLock().unlock();
		assertThat(isDenied(this.two, exclusive())).isFalse();
	}

	@Test
	void downgradeLetsWaitingReadersIn() {
		LockHandle writer = this.one.template().acquire(exclusive());
		LockHandle reader = this.one.template().acquire(shared());
		CompletableFuture<LockHandle> waiting = acquire(this.two, shared());
		awaitQueued(this.key, 1);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		Threads.join(waiting).release();
		assertThat(this.one.registry().held()).singleElement()
			.extracting(LockSnapshot::mode)
			.isEqualTo(LockMode.SHARED);
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void readerThatAsksForTheWriteLockFailsAtOnce() throws InterruptedException {
		ReadWriteLock lock = this.one.registry().readWriteLock(this.key);
		lock.readLock().lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(lock.writeLock()::lock)
			.withMessageContaining(this.key)
			.withMessageContaining("holds the shared one");
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> this.one.template().acquire(exclusive()));
		assertThat(lock.writeLock().tryLock()).isFalse();
		assertThat(lock.writeLock().tryLock(1, TimeUnit.MINUTES)).isFalse();
		lock.readLock().unlock();
		assertThat(lock.writeLock().tryLock()).isTrue();
		lock.writeLock().unlock();
	}

	@Test
	void readerWhoseShareIsGoneIsNoReaderAnyMore() {
		LockHandle reader = this.one.template().acquire(shared());
		stores().takeAway(this.key);
		LockHandle writer = this.one.template().acquire(exclusive());
		assertThat(writer.isHeld()).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(writer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void fairWaitersAreServedInOrderOfArrival() {
		TestInstance one = newPatientInstance();
		TestInstance two = newPatientInstance();
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
			awaitQueued(this.key, i + 1);
		}
		first.release();
		waiters.forEach(Threads::join);
		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
	}

	@Test
	void othersDoNotOvertakeFairWaiters() {
		TestInstance one = newPatientInstance();
		TestInstance two = newPatientInstance();
		LockHandle first = one.template().acquire(exclusive());
		CompletableFuture<LockHandle> fair = acquire(two, exclusive().fair());
		awaitQueued(this.key, 1);
		List<CompletableFuture<LockHandle>> others = List.of(acquire(one, exclusive()), acquire(one, shared()),
				acquire(two, exclusive()));
		awaitQueued(this.key, 3);
		awaitParked(4);
		first.release();
		LockHandle served = Threads.join(fair);
		assertThat(others).noneMatch(CompletableFuture::isDone);
		served.release();
		others.forEach((other) -> other.thenAccept(LockHandle::release));
		others.forEach(Threads::join);
	}

	@Test
	void holderReentersPastFairWaiters() {
		Lock lock = this.one.registry().fairLock(this.key);
		lock.lock();
		CompletableFuture<LockHandle> waiter = acquire(this.two, exclusive().fair());
		awaitQueued(this.key, 1);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		this.one.registry().lock(this.key).unlock();
		Threads.join(waiter).release();
	}

	@Test
	void waiterThatWouldNotAskAgainIsWokenByTheRelease() {
		TestInstance seldom = closing(new TestInstance(stores()::open, Duration.ofHours(1)));
		LockHandle blocking = this.one.template().acquire(exclusive().lease(Duration.ofMinutes(10)));
		CompletableFuture<LockHandle> waiter = acquire(seldom, exclusive());
		awaitQueued(this.key, 1);
		blocking.release();
		Threads.join(waiter).release();
	}

	@Test
	void waiterWhosePlaceHasRunOutGoesToTheEnd() {
		LockHandle holder = this.two.template().acquire(exclusive());
		Duration brief = Duration.ofMillis(200);
		queueUp("brief", 1, brief);
		queueUp("long", 2, Duration.ofMinutes(1));
		this.one.store()
			.withdraw(Claims.exclusive(this.key, "one:long", Duration.ofMinutes(1), 2,
					new LockStore.QueuePlace(place("long"), Duration.ofMinutes(1))), Duration.ZERO);
		queueUp("brief", 3, brief);
		await().until(() -> places().isEmpty());
		queueUp("later", 4, Duration.ofMinutes(1));
		queueUp("brief", 5, Duration.ofMinutes(1));
		assertThat(places()).containsExactly(place("later"), place("brief"));
		holder.release();
	}

	private void queueUp(String waiter, long number, Duration kept) {
		this.one.store()
			.acquire(new Claim(List.of(this.key), this.one.id() + ":" + waiter, number, LockMode.EXCLUSIVE, true,
					Duration.ofSeconds(30), new QueuePlace(place(waiter), kept)));
	}

	private String place(String waiter) {
		return this.one.id() + ":" + waiter + "#1";
	}

	private List<String> places() {
		return this.one.store().view().look(List.of(this.key)).get(0).waiters();
	}

}
