package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUpgradeException;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for shared locks.
 */
interface SharedLockTests extends LockFamily {

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

}
