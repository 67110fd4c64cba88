package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for shared and fair locks and for several keys, seen from two
 * instances.
 */
public abstract class AbstractLockFamilyTests extends AbstractStoreTests {

	private TestInstance one;

	private TestInstance two;

	private final String other = "other-" + this.key;

	@BeforeEach
	void startInstances() {
		this.one = newInstance();
		this.two = newInstance();
	}

	private LockRequest exclusive() {
		return LockRequest.of(this.key).waitFor(Duration.ofSeconds(30));
	}

	private LockRequest shared() {
		return exclusive().shared();
	}

	private static LockRequest oneTry(LockRequest request) {
		return request.waitFor(Duration.ZERO);
	}

	private boolean isDenied(TestInstance instance, LockRequest request) {
		return Threads.call(() -> instance.template().tryAcquire(oneTry(request)).map((lock) -> {
			lock.close();
			return lock;
		})).isEmpty();
	}

	private CompletableFuture<LockHandle> acquire(TestInstance instance, LockRequest request) {
		return Threads.start(() -> instance.template().acquire(request));
	}

	/**
	 * Wait until so many callers are in the store's queue.
	 */
	private void awaitQueued(String name, int waiters) {
		await().until(() -> stores().isQueued(name, waiters));
	}

	// Shared and exclusive

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
	void writerKeepsReadersOut() {
		try (LockHandle writer = this.one.template().acquire(exclusive())) {
			assertThat(isDenied(this.one, shared())).isTrue();
			assertThat(isDenied(this.two, shared())).isTrue();
			assertThat(writer.isHeld()).isTrue();
		}
		assertThat(isDenied(this.two, shared())).isFalse();
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
	void deadReaderLetsGoAlthoughAnotherHadALongerLease() {
		LockHandle shorter = this.one.template()
			.acquire(shared().lease(Duration.ofMillis(600)).autoRenew(false).ownedByHandle());
		LockHandle longer = acquire(this.two, shared().lease(Duration.ofSeconds(60)).ownedByHandle()).join();
		longer.release();
		long start = System.nanoTime();
		LockHandle writer = this.two.template().acquire(exclusive());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
		assertThat(shorter.isHeld()).isFalse();
		writer.release();
	}

	@Test
	void readersAreRenewed() {
		LockRequest brief = shared().lease(Duration.ofMillis(300));
		LockHandle first = this.one.template().acquire(brief.ownedByHandle());
		LockHandle second = this.two.template().acquire(brief.ownedByHandle());
		await().during(Duration.ofSeconds(1)).until(() -> first.isHeld() && second.isHeld());
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(this.one, exclusive())).isTrue();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void waitingWriterGoesBeforeLaterReaders() {
		LockHandle reader = this.one.template().acquire(shared());
		CompletableFuture<LockHandle> writer = acquire(this.two, exclusive());
		awaitQueued(this.key, 1);
		CompletableFuture<LockHandle> later = acquire(this.one, shared());
		awaitQueued(this.key, 2);
		reader.release();
		LockHandle written = Threads.join(writer);
		assertThat(later).isNotDone();
		written.release();
		Threads.join(later).release();
	}

	@Test
	void readersGoOnWhenAWaitingWriterGivesUp() {
		LockHandle reader = this.one.template().acquire(shared());
		CompletableFuture<Boolean> writer = Threads
			.start(() -> this.two.template().tryAcquire(exclusive().waitFor(Duration.ofMillis(500))).isPresent());
		awaitQueued(this.key, 1);
		CompletableFuture<LockHandle> later = acquire(this.one, shared());
		assertThat(Threads.join(writer)).isFalse();
		assertThat(Threads.join(later).isHeld()).isTrue();
		later.join().release();
		reader.release();
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
	void writerMayGiveUpTheReadLockFirst() {
		ReadWriteLock lock = this.one.registry().readWriteLock(this.key);
		lock.writeLock().lock();
		lock.readLock().lock();
		lock.readLock().unlock();
		assertThat(isDenied(this.two, shared())).isTrue();
		assertThat(lock.writeLock().tryLock()).isTrue();
		lock.writeLock().unlock();
		assertThat(isDenied(this.two, shared())).isTrue();
		lock.writeLock().unlock();
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
	void readerThatAsksForTheWriteLockFailsAtOnce() {
		ReadWriteLock lock = this.one.registry().readWriteLock(this.key);
		lock.readLock().lock();
		assertThatExceptionOfType(LockException.class).isThrownBy(lock.writeLock()::lock)
			.withMessageContaining(this.key)
			.withMessageContaining("holds the shared one");
		assertThatExceptionOfType(LockException.class).isThrownBy(lock.writeLock()::tryLock);
		lock.readLock().unlock();
		assertThat(lock.writeLock().tryLock()).isTrue();
		lock.writeLock().unlock();
	}

	@Test
	void viewsOfReadersAndWritersAreNotMistakenForEachOther() {
		ReadWriteLock lock = this.one.registry().readWriteLock(this.key);
		lock.readLock().lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock.writeLock()::unlock);
		lock.readLock().unlock();
		lock.writeLock().lock();
		this.one.registry().lock(this.key).unlock();
		assertThat(isDenied(this.two, exclusive())).isFalse();
	}

	@Test
	void twoHundredReadersAndWritersKeepExclusion() {
		CyclicBarrier start = new CyclicBarrier(200);
		AtomicInteger reading = new AtomicInteger();
		AtomicInteger writing = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		int[] counter = new int[1];
		List<CompletableFuture<?>> callers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			TestInstance instance = (i % 2 == 0) ? this.one : this.two;
			boolean writes = i % 4 < 2;
			callers.add(Threads.start(() -> {
				start.await();
				try (LockHandle lock = instance.template()
					.acquire((writes ? exclusive() : shared()).waitFor(Duration.ofSeconds(55)))) {
					AtomicInteger inside = writes ? writing : reading;
					inside.incrementAndGet();
					int before = counter[0];
					TimeUnit.MILLISECONDS.sleep(2);
					boolean alone = writing.get() == 0 || (writing.get() == 1 && reading.get() == 0 && writes);
					overlaps.addAndGet(alone ? 0 : 1);
					counter[0] = writes ? before + 1 : counter[0];
					inside.decrementAndGet();
					return lock.fencingToken();
				}
			}));
		}
		callers.forEach(Threads::join);
		assertThat(overlaps).hasValue(0);
		assertThat(counter[0]).isEqualTo(100);
	}

	@Test
	void writerGetsThroughAStreamOfReaders() {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger reads = new AtomicInteger();
		List<CompletableFuture<Integer>> readers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			TestInstance instance = (i % 2 == 0) ? this.one : this.two;
			readers.add(Threads.start(() -> {
				while (!over.get()) {
					try (LockHandle lock = instance.template().acquire(shared())) {
						TimeUnit.MILLISECONDS.sleep(5);
						reads.addAndGet(lock.isHeld() ? 1 : 0);
					}
				}
				return 0;
			}));
		}
		await().until(() -> reads.get() > 50);
		try (LockHandle writer = this.two.template().acquire(exclusive().waitFor(Duration.ofSeconds(1)))) {
			assertThat(writer.isHeld()).isTrue();
		}
		finally {
			over.set(true);
		}
		readers.forEach(Threads::join);
	}

	// Fair

	@Test
	void fairWaitersAreServedInOrderOfArrival() {
		LockHandle first = this.one.template().acquire(exclusive());
		List<Integer> served = Collections.synchronizedList(new ArrayList<>());
		List<CompletableFuture<?>> waiters = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			TestInstance instance = (i % 3 == 0) ? this.one : this.two;
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
		LockHandle first = this.one.template().acquire(exclusive());
		CompletableFuture<LockHandle> fair = acquire(this.two, exclusive().fair());
		awaitQueued(this.key, 1);
		List<CompletableFuture<LockHandle>> others = List.of(acquire(this.one, exclusive()),
				acquire(this.one, shared()), acquire(this.two, exclusive()));
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
	void fairWaiterThatGivesUpDelaysNobody() {
		await().until(() -> delayByAFairWaiterThatGaveUp().compareTo(Duration.ofMillis(300)) < 0);
	}

	private Duration delayByAFairWaiterThatGaveUp() {
		LockHandle first = this.one.template().acquire(exclusive());
		CompletableFuture<Boolean> givesUp = Threads.start(
				() -> this.two.template().tryAcquire(exclusive().fair().waitFor(Duration.ofMillis(300))).isPresent());
		awaitQueued(this.key, 1);
		CompletableFuture<LockHandle> next = acquire(this.two, exclusive().fair());
		assertThat(Threads.join(givesUp)).isFalse();
		long released = System.nanoTime();
		first.release();
		Threads.join(next).release();
		return Duration.ofNanos(System.nanoTime() - released);
	}

	@Test
	void deadFairWaiterDelaysOthersByASecondAtMost() {
		AtomicReference<FaultyStore> network = new AtomicReference<>();
		TestInstance dying = closing(new TestInstance((id) -> {
			network.set(new FaultyStore(stores().open(id)));
			return network.get();
		}));
		LockHandle first = this.one.template().acquire(exclusive());
		CompletableFuture<LockHandle> dead = acquire(dying, exclusive().fair());
		awaitQueued(this.key, 1);
		network.get().loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		network.get().loseRequests(Operation.LEAVE, Integer.MAX_VALUE);
		CompletableFuture<LockHandle> next = acquire(this.two, exclusive().fair());
		awaitQueued(this.key, 2);
		long released = System.nanoTime();
		first.release();
		Threads.join(next).release();
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofMillis(1500));
		assertThat(dead).isNotDone();
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

	// Several keys

	private LockRequest both() {
		return LockRequest.of(this.key, this.other).waitFor(Duration.ofSeconds(30));
	}

	@Test
	void severalKeysAreAcquiredAllOrNone() {
		try (LockHandle lock = this.one.template().acquire(both())) {
			assertThat(lock.keys()).containsExactly(this.key, this.other);
			assertThat(lock.fencingToken(this.key)).isPositive();
			assertThat(lock.fencingToken(this.other)).isPositive();
			assertThatIllegalStateException().isThrownBy(lock::fencingToken).withMessageContaining("fencingToken(key)");
			assertThat(isDenied(this.two, exclusive())).isTrue();
			assertThat(isDenied(this.one, LockRequest.of(this.other))).isTrue();
			assertThat(this.one.registry().held()).singleElement()
				.satisfies((held) -> assertThat(held.keys()).containsExactly(this.key, this.other));
		}
		assertThat(this.one.registry().held()).isEmpty();
		try (LockHandle blocking = this.two.template().acquire(LockRequest.of(this.other))) {
			assertThat(isDenied(this.one, both())).isTrue();
			assertThat(isDenied(this.one, exclusive())).isFalse();
			assertThat(blocking.isHeld()).isTrue();
		}
		assertThat(isDenied(this.one, both())).isFalse();
	}

	@Test
	void duplicateKeysCollapse() {
		try (LockHandle lock = this.one.template().acquire(LockRequest.of(this.key, this.key))) {
			assertThat(lock.keys()).containsExactly(this.key);
			assertThat(lock.fencingToken()).isPositive();
			assertThat(lock.holdCount()).isOne();
		}
	}

	@Test
	void whoWaitsForSeveralKeysKeepsNobodyOutOfTheOthers() {
		LockHandle blocking = this.two.template().acquire(LockRequest.of(this.other));
		CompletableFuture<LockHandle> waiter = acquire(this.one, both());
		awaitQueued(this.other, 1);
		assertThat(isDenied(this.one, exclusive())).isFalse();
		assertThat(isDenied(this.two, exclusive())).isFalse();
		blocking.release();
		assertThat(Threads.join(waiter).isHeld()).isTrue();
		waiter.join().release();
	}

	@Test
	void nestedKeysDoNotDeadlockWithThoseAcquiredTogether() {
		LockHandle outer = this.one.template().acquire(LockRequest.of(this.other));
		CompletableFuture<LockHandle> together = acquire(this.two, both());
		CompletableFuture<LockHandle> alsoTogether = acquire(this.one, both());
		awaitQueued(this.other, 2);
		LockHandle inner = this.one.template().acquire(exclusive().waitFor(Duration.ofSeconds(2)));
		inner.release();
		outer.release();
		together.thenAccept(LockHandle::release);
		alsoTogether.thenAccept(LockHandle::release);
		Threads.join(together);
		Threads.join(alsoTogether);
	}

	@Test
	void severalKeysAreReentered() {
		LockHandle outer = this.one.template().acquire(both());
		LockHandle again = this.one.template().acquire(both());
		LockHandle single = this.one.template().acquire(LockRequest.of(this.other));
		assertThat(single.keys()).containsExactly(this.other);
		assertThat(single.fencingToken()).isEqualTo(outer.fencingToken(this.other));
		assertThat(single.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(again.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@Test
	void someKeysAreHeldAlready() {
		LockHandle outer = this.one.template().acquire(LockRequest.of(this.other));
		LockHandle joint = this.one.template().acquire(both());
		assertThat(joint.keys()).containsExactly(this.key, this.other);
		assertThat(joint.fencingToken(this.other)).isEqualTo(outer.fencingToken());
		assertThat(joint.fencingToken(this.key)).isPositive();
		assertThat(joint.isHeld()).isTrue();
		assertThat(joint.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.isHeld()).isTrue();
		assertThat(isDenied(this.two, exclusive())).isFalse();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void keysOfSeveralHoldsAreJoined() {
		String third = "third-" + this.key;
		LockHandle first = this.one.template().acquire(LockRequest.of(this.other));
		LockHandle second = this.one.template().acquire(LockRequest.of(third));
		LockRequest all = LockRequest.of(this.key, this.other, third);
		LockHandle joint = this.one.template().acquire(all);
		assertThat(joint.keys()).containsExactly(this.key, this.other, third);
		assertThat(joint.fencingToken(this.other)).isEqualTo(first.fencingToken());
		assertThat(joint.fencingToken(third)).isEqualTo(second.fencingToken());
		assertThat(joint.holdCount()).isOne();
		LockHandle again = this.one.template().acquire(all);
		assertThat(again.holdCount()).isEqualTo(2);
		assertThat(again.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(joint.remainingLease()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(again.release()).isEqualTo(ReleaseResult.STILL_HELD);
		stores().takeAway(third);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> !isDenied(this.two, exclusive()) && first.holdCount() == 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(second.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(isDenied(this.two, all)).isFalse();
	}

	@Test
	void keysHeldAlreadyAreGivenUpWhenTheWaitForTheOthersIsInterrupted() {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Integer> waiter = Threads.start(() -> {
			LockHandle outer = this.one.template().acquire(LockRequest.of(this.other));
			thread.complete(Thread.currentThread());
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> this.one.template().acquire(both()));
			assertThat(Thread.interrupted()).isTrue();
			int count = outer.holdCount();
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
			return count;
		});
		awaitQueued(this.key, 1);
		Threads.join(thread).interrupt();
		assertThat(Threads.join(waiter)).isOne();
		awaitQueued(this.key, 0);
		assertThat(isDenied(this.two, LockRequest.of(this.other))).isFalse();
		blocking.release();
	}

	@Test
	void keysHeldAlreadyAreGivenUpWhenTheOthersAreNotToBeHad() {
		LockHandle blocking = this.two.template().acquire(exclusive().ownedByHandle());
		LockHandle outer = this.one.template().acquire(LockRequest.of(this.other));
		assertThat(this.one.template().tryAcquire(oneTry(both()))).isEmpty();
		assertThat(outer.holdCount()).isOne();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		blocking.release();
	}

	@Test
	void lossOfOneKeyIsLossOfAll() {
		LockHandle lock = this.one.template().acquire(both().lease(Duration.ofMillis(600)));
		CountDownLatch lost = new CountDownLatch(1);
		lock.onLost((handle) -> lost.countDown());
		stores().takeAway(this.key);
		Threads.await(lost);
		assertThat(lock.isHeld()).isFalse();
		await().atMost(Duration.ofSeconds(2)).until(() -> !isDenied(this.two, both()));
		assertThat(this.one.events().lost()).singleElement()
			.satisfies((told) -> assertThat(told.keys()).containsExactly(this.key, this.other));
		assertThat(lock.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void lossOfAPartReleasesTheRest() {
		LockHandle outer = this.one.template().acquire(LockRequest.of(this.other));
		LockHandle joint = this.one.template().acquire(both().lease(Duration.ofMillis(600)));
		CountDownLatch lost = new CountDownLatch(1);
		joint.onLost((handle) -> lost.countDown());
		stores().takeAway(this.key);
		Threads.await(lost);
		assertThat(joint.isHeld()).isFalse();
		await().until(() -> outer.holdCount() == 1);
		assertThat(outer.isHeld()).isTrue();
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void lossOfAPartWhileTheRestIsWaitedForStartsOver() {
		LockRequest brief = LockRequest.of(this.other).lease(Duration.ofMillis(600));
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			LockHandle outer = this.one.template().acquire(brief);
			try (LockHandle joint = this.one.template().acquire(both().lease(Duration.ofMillis(600)))) {
				assertThat(joint.isHeld()).isTrue();
				assertThat(joint.holdCount()).isOne();
				assertThat(joint.fencingToken(this.other)).isGreaterThan(outer.fencingToken());
				assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
				assertThat(isDenied(this.two, LockRequest.of(this.other))).isTrue();
				return joint.isHeld();
			}
		});
		awaitQueued(this.key, 1);
		stores().takeAway(this.other);
		await().until(() -> this.one.events().lost().size() == 1);
		blocking.release();
		assertThat(Threads.join(waiter)).isTrue();
		assertThat(this.one.events().lost()).hasSize(1);
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@Test
	void multiLockIsALock() {
		Lock lock = this.one.registry().multiLock(this.key, this.other);
		lock.lock();
		assertThat(isDenied(this.two, exclusive())).isTrue();
		this.one.registry().multiLock(this.other, this.key).unlock();
		assertThat(isDenied(this.two, exclusive())).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void crossedOrdersDoNotDeadlock() {
		CyclicBarrier barrier = new CyclicBarrier(2);
		Map<TestInstance, List<String>> orders = Map.of(this.one, List.of(this.key, this.other), this.two,
				List.of(this.other, this.key));
		List<CompletableFuture<Integer>> callers = new ArrayList<>();
		orders.forEach((instance, keys) -> callers.add(Threads.start(() -> {
			barrier.await();
			for (int i = 0; i < 500; i++) {
				instance.template().acquire(LockRequest.of(keys).waitFor(Duration.ofSeconds(20))).close();
			}
			return 500;
		})));
		assertThat(callers).allSatisfy((caller) -> assertThat(Threads.join(caller)).isEqualTo(500));
	}

	@Test
	void severalKeysAreShared() {
		LockHandle first = this.one.template().acquire(both().shared());
		LockHandle second = this.two.template().acquire(both().shared().ownedByHandle());
		assertThat(isDenied(this.two, LockRequest.of(this.other))).isTrue();
		first.release();
		assertThat(isDenied(this.two, LockRequest.of(this.other))).isTrue();
		second.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	// Views and waits of all kinds

	@ParameterizedTest
	@EnumSource
	void interruptEndsAnInterruptibleWait(View view) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			thread.complete(Thread.currentThread());
			view.of(this.one, this.key, this.other).lockInterruptibly();
			return true;
		});
		awaitQueued(this.key, 1);
		Threads.join(thread).interrupt();
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(waiter))
			.withCauseInstanceOf(InterruptedException.class);
		awaitQueued(this.key, 0);
		blocking.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void interruptIsKeptForLater(View view) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			Lock lock = view.of(this.one, this.key, this.other);
			thread.complete(Thread.currentThread());
			lock.lock();
			boolean interrupted = Thread.interrupted();
			lock.unlock();
			return interrupted;
		});
		awaitQueued(this.key, 1);
		Threads.join(thread).interrupt();
		await().during(Duration.ofMillis(100)).until(() -> !waiter.isDone());
		blocking.release();
		assertThat(Threads.join(waiter)).isTrue();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void triesForAsLongAsItIsTold(View view) throws InterruptedException {
		Lock lock = view.of(this.one, this.key, this.other);
		LockHandle blocking = this.two.template().acquire(exclusive());
		assertThat(lock.tryLock()).isFalse();
		long begin = System.nanoTime();
		assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(200),
				Duration.ofSeconds(5));
		awaitQueued(this.key, 0);
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			boolean acquired = view.of(this.one, this.key, this.other).tryLock(30, TimeUnit.SECONDS);
			view.of(this.one, this.key, this.other).unlock();
			return acquired;
		});
		awaitQueued(this.key, 1);
		blocking.release();
		assertThat(Threads.join(waiter)).isTrue();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void shutdownSendsAWaiterAway(View view) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			view.of(this.one, this.key, this.other).lock();
			return true;
		});
		awaitQueued(this.key, 1);
		await().until(() -> this.one.store().subscription() == LockStore.Subscription.ACTIVE);
		this.one.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(waiter));
		assertThat(this.one.registry().status().waiting()).isZero();
		awaitQueued(this.key, 0);
		blocking.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	/**
	 * The views of a key, or of it and another.
	 */
	enum View {

		READ, WRITE, FAIR, MULTI;

		Lock of(TestInstance instance, String key, String other) {
			return switch (this) {
				case READ -> instance.registry().readWriteLock(key).readLock();
				case WRITE -> instance.registry().readWriteLock(key).writeLock();
				case FAIR -> instance.registry().fairLock(key);
				case MULTI -> instance.registry().multiLock(key, other);
			};
		}

	}

}
