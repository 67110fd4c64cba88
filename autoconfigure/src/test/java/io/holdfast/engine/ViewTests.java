package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockView;
import io.holdfast.ReadWriteLockView;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What views tell of locks, and do beyond {@link Lock}, with every store.
 */
interface ViewTests extends LockFamily {

	Duration BRIEF = Duration.ofMillis(300);

	Duration LONG = Duration.ofMinutes(10);

	private LockView view(TestInstance instance) {
		return instance.registry().lock(key());
	}

	@Test
	default void holderIsSeenFromEachInstance() {
		assertThat(view(one()).isLocked()).isFalse();
		view(one()).lock();
		assertThat(List.of(view(one()), view(two()), two().registry().fairLock(key()),
				two().registry().readWriteLock(key()).readLock(), two().registry().multiLock(other(), key())))
			.allMatch(LockView::isLocked);
		assertThat(two().registry().lock(other()).isLocked()).isFalse();
		view(one()).unlock();
		assertThat(view(two()).isLocked()).isFalse();
	}

	@Test
	default void holdOfTheThreadIsKnown() {
		LockView view = view(one());
		assertNotHeld(view);
		view.lock();
		view.lock();
		assertThat(view.isHeldByCurrentThread()).isTrue();
		assertThat(view.getHoldCount()).isEqualTo(2);
		assertThat(view.remainingLease()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
		Threads.call(() -> {
			assertNotHeld(view(one()));
			return true;
		});
		assertNotHeld(view(two()));
		view.unlock();
		assertThat(view.getHoldCount()).isOne();
		assertThat(isDenied(two(), LockRequest.of(key()))).isTrue();
		view.unlock();
		assertNotHeld(view);
		assertThat(isDenied(two(), LockRequest.of(key()))).isFalse();
	}

	private static void assertNotHeld(LockView view) {
		assertThat(view.isHeldByCurrentThread()).isFalse();
		assertThat(view.getHoldCount()).isZero();
		assertThat(view.remainingLease()).isZero();
		assertThat(view.extend(LONG)).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::fencingToken)
			.withMessageContaining(view.keys().get(0));
	}

	@Test
	default void lockOfTheTemplateIsTheSame() {
		try (LockHandle handle = one().template().acquire(exclusive())) {
			LockView view = view(one());
			assertThat(view.fencingToken()).isEqualTo(handle.fencingToken());
			assertThat(view.getHoldCount()).isOne();
			view.lock();
			assertThat(handle.holdCount()).isEqualTo(2);
			view.unlock();
		}
		try (LockHandle handle = one().template().acquire(exclusive().ownedByHandle())) {
			assertThat(handle.isHeld()).isTrue();
			assertNotHeld(view(one()));
		}
	}

	@Test
	default void readerAndWriterAreCountedApart() {
		ReadWriteLockView lock = one().registry().readWriteLock(key());
		lock.writeLock().lock();
		assertThat(lock.writeLock().getHoldCount()).isOne();
		assertNotHeld(lock.readLock());
		lock.readLock().lock();
		assertThat(lock.readLock().fencingToken()).isEqualTo(lock.writeLock().fencingToken());
		lock.writeLock().unlock();
		assertNotHeld(lock.writeLock());
		assertThat(lock.readLock().getHoldCount()).isOne();
		assertThat(lock.readLock().extend(LONG)).isTrue();
		lock.readLock().unlock();
	}

	@Test
	default void severalKeysAreHeldOnlyTogether() {
		LockView view = one().registry().multiLock(key(), other(), key());
		assertThat(view.keys()).containsExactly(key(), other());
		view(one()).lock();
		assertNotHeld(view);
		view.lock();
		assertThat(view.getHoldCount()).isOne();
		assertThat(view(one()).getHoldCount()).isEqualTo(2);
		assertThatIllegalStateException().isThrownBy(view::fencingToken)
			.withMessageContainingAll(key(), other(), "LockHandle.fencingToken(key)");
		assertThat(view.extend(LONG)).isTrue();
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		view.unlock();
		assertThat(two().registry().lock(other()).isLocked()).isFalse();
		view(one()).unlock();
	}

	@Test
	default void leaseOfTheCallerIsNotRenewed() throws InterruptedException {
		LockView view = view(one());
		for (boolean waits : new boolean[] { false, true }) {
			if (waits) {
				assertThat(view.tryLock(Duration.ofSeconds(30), BRIEF)).isTrue();
			}
			else {
				view.lock(BRIEF);
			}
			assertThat(view.remainingLease()).isLessThan(BRIEF);
			LockView other = view(two());
			assertThat(other.tryLock(Duration.ofSeconds(30))).isTrue();
			assertNotHeld(view);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock)
				.withMessageContaining("lost");
			other.unlock();
		}
		assertThat(one().renewed()).isZero();
	}

	@Test
	default void leaseWithinALockThatIsRenewedDoesNotLimitIt() {
		LockView view = view(one());
		view.lock();
		view.lock(BRIEF);
		assertThat(view.remainingLease()).isGreaterThan(BRIEF);
		view.unlock();
		view.lock(LONG);
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		view.unlock();
		view.unlock();
		assertThat(view(two()).isLocked()).isFalse();
	}

	@Test
	default void leaseIsExtended() {
		LockView view = view(one());
		view.lock(Duration.ofSeconds(20));
		assertThat(view.extend(LONG)).isTrue();
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		kept().takeAway(key());
		assertThat(view.extend(LONG)).isFalse();
		assertNotHeld(view);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
	}

	@Test
	default void triesAndWaitsForADuration() throws InterruptedException {
		LockView view = view(two());
		try (LockHandle handle = one().template().acquire(exclusive())) {
			assertThat(view.tryLock(Duration.ZERO)).isFalse();
			assertThat(view.tryLock(-1, TimeUnit.MILLISECONDS)).isFalse();
			Duration invalid = Duration.ofMillis(-2);
			assertThatIllegalArgumentException().isThrownBy(() -> view.tryLock(invalid));
			assertThatIllegalArgumentException().isThrownBy(() -> view.tryLock(invalid, LONG));
			long start = System.nanoTime();
			assertThat(view.tryLock(BRIEF, LONG)).isFalse();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(view.tryLock(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
		assertThat(view.tryLock(Duration.ofSeconds(Long.MAX_VALUE), LONG)).isTrue();
		view.unlock();
		view.unlock();
	}

	@Test
	default void waitersAreSeenFromEachInstance() {
		view(one()).lock();
		assertThat(view(one()).hasQueuedThreads()).isFalse();
		CompletableFuture<LockHandle> waiter = acquire(two(), exclusive());
		await().until(() -> view(one()).hasQueuedThreads());
		await().until(() -> view(two()).hasQueuedThreads());
		assertThat(two().registry().multiLock(other(), key()).hasQueuedThreads()).isTrue();
		assertThat(two().registry().lock(other()).hasQueuedThreads()).isFalse();
		view(one()).unlock();
		LockHandle next = Threads.join(waiter);
		await().until(() -> !view(one()).hasQueuedThreads());
		next.release();
	}

	@Test
	default void lockIsReleasedByForceFromTheOtherInstance() {
		assertThat(two().registry().forceRelease(key())).isFalse();
		LockView view = view(one());
		view.lock();
		assertThat(two().registry().forceRelease(key())).isTrue();
		assertThat(view(two()).tryLock()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock)
			.withMessageContaining("lost");
		assertThat(view(two()).extend(LONG)).isTrue();
		view(two()).unlock();
	}

	@Test
	default void viewsOfTheSameKindAreEqual() {
		HoldfastLockRegistry registry = one().registry();
		List<LockView> kinds = List.of(registry.lock(key()), registry.fairLock(key()),
				registry.readWriteLock(key()).readLock(), registry.multiLock(key(), other()), registry.lock(other()),
				two().registry().lock(key()));
		assertThat(kinds).doesNotHaveDuplicates();
		List<LockView> again = List.of(registry.readWriteLock(key()).writeLock(), registry.fairLock(key()),
				registry.readWriteLock(key()).readLock(), registry.multiLock(other(), key()), registry.lock(other()),
				two().registry().lock(key()));
		assertThat(again).containsExactlyElementsOf(kinds);
		assertThat(again).extracting(LockView::hashCode)
			.containsExactlyElementsOf(kinds.stream().map(LockView::hashCode).toList());
		assertThat(kinds).extracting(LockView::toString)
			.containsExactly("LockView[" + key() + ", exclusive]", "LockView[" + key() + ", fair]",
					"LockView[" + key() + ", shared]", "LockView[" + key() + ", " + other() + ", exclusive]",
					"LockView[" + other() + ", exclusive]", "LockView[" + key() + ", exclusive]");
	}

}
