package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
abstract class AbstractViewTests extends AbstractStoreTests {

	private static final Duration BRIEF = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofMinutes(10);

	private LockView view(TestInstance instance) {
		return instance.registry().lock(this.key);
	}

	@Test
	void holderIsSeenFromEachInstance() {
		assertThat(view(this.one).isLocked()).isFalse();
		view(this.one).lock();
		assertThat(List.of(view(this.one), view(this.two), this.two.registry().fairLock(this.key),
				this.two.registry().readWriteLock(this.key).readLock(),
				this.two.registry().multiLock(other(), this.key)))
			.allMatch(LockView::isLocked);
		assertThat(this.two.registry().lock(other()).isLocked()).isFalse();
		view(this.one).unlock();
		assertThat(view(this.two).isLocked()).isFalse();
	}

	@Test
	void holdOfTheThreadIsKnown() {
		LockView view = view(this.one);
		assertNotHeld(view);
		view.lock();
		view.lock();
		assertThat(view.isHeldByCurrentThread()).isTrue();
		assertThat(view.getHoldCount()).isEqualTo(2);
		assertThat(view.remainingLease()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
		Threads.call(() -> {
			assertNotHeld(view(this.one));
			return true;
		});
		assertNotHeld(view(this.two));
		view.unlock();
		assertThat(view.getHoldCount()).isOne();
		assertThat(isDenied(this.two, LockRequest.of(this.key))).isTrue();
		view.unlock();
		assertNotHeld(view);
		assertThat(isDenied(this.two, LockRequest.of(this.key))).isFalse();
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
	void lockOfTheTemplateIsTheSame() {
		try (LockHandle handle = this.one.template().acquire(exclusive())) {
			LockView view = view(this.one);
			assertThat(view.fencingToken()).isEqualTo(handle.fencingToken());
			assertThat(view.getHoldCount()).isOne();
			view.lock();
			assertThat(handle.holdCount()).isEqualTo(2);
			view.unlock();
		}
		try (LockHandle handle = this.one.template().acquire(exclusive().ownedByHandle())) {
			assertThat(handle.isHeld()).isTrue();
			assertNotHeld(view(this.one));
		}
	}

	@Test
	void readerAndWriterAreCountedApart() {
		ReadWriteLockView lock = this.one.registry().readWriteLock(this.key);
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
	void severalKeysAreHeldOnlyTogether() {
		LockView view = this.one.registry().multiLock(this.key, other(), this.key);
		assertThat(view.keys()).containsExactly(this.key, other());
		view(this.one).lock();
		assertNotHeld(view);
		view.lock();
		assertThat(view.getHoldCount()).isOne();
		assertThat(view(this.one).getHoldCount()).isEqualTo(2);
		assertThatIllegalStateException().isThrownBy(view::fencingToken)
			.withMessageContainingAll(this.key, other(), "LockHandle.fencingToken(key)");
		assertThat(view.extend(LONG)).isTrue();
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		view.unlock();
		assertThat(this.two.registry().lock(other()).isLocked()).isFalse();
		view(this.one).unlock();
	}

	@Test
	void leaseOfTheCallerIsNotRenewed() throws InterruptedException {
		LockView view = view(this.one);
		for (boolean waits : new boolean[] { false, true }) {
			if (waits) {
				assertThat(view.tryLock(Duration.ofSeconds(30), BRIEF)).isTrue();
			}
			else {
				view.lock(BRIEF);
			}
			assertThat(view.remainingLease()).isLessThan(BRIEF);
			LockView other = view(this.two);
			assertThat(other.tryLock(Duration.ofSeconds(30))).isTrue();
			assertNotHeld(view);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock)
				.withMessageContaining("lost");
			other.unlock();
		}
		assertThat(this.one.renewed()).isZero();
	}

	@Test
	void leaseWithinALockThatIsRenewedDoesNotLimitIt() {
		LockView view = view(this.one);
		view.lock();
		view.lock(BRIEF);
		assertThat(view.remainingLease()).isGreaterThan(BRIEF);
		view.unlock();
		view.lock(LONG);
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		view.unlock();
		view.unlock();
		assertThat(view(this.two).isLocked()).isFalse();
	}

	@Test
	void leaseIsExtended() {
		LockView view = view(this.one);
		view.lock(Duration.ofSeconds(20));
		assertThat(view.extend(LONG)).isTrue();
		assertThat(view.remainingLease()).isGreaterThan(Duration.ofMinutes(5));
		stores().takeAway(this.key);
		assertThat(view.extend(LONG)).isFalse();
		assertNotHeld(view);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
	}

	@Test
	void triesAndWaitsForADuration() throws InterruptedException {
		LockView view = view(this.two);
		try (LockHandle handle = this.one.template().acquire(exclusive())) {
			assertThat(view.tryLock(Duration.ZERO)).isFalse();
			Duration invalid = Duration.ofMillis(-2);
			assertThatIllegalArgumentException().isThrownBy(() -> view.tryLock(invalid));
			assertThatIllegalArgumentException().isThrownBy(() -> view.tryLock(invalid, LONG));
			assertThat(view.tryLock(BRIEF, LONG)).isFalse();
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(view.tryLock(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
		assertThat(view.tryLock(Duration.ofSeconds(Long.MAX_VALUE), LONG)).isTrue();
		view.unlock();
		view.unlock();
	}

	@Test
	void waitersAreSeenFromEachInstance() {
		view(this.one).lock();
		assertThat(view(this.one).hasQueuedThreads()).isFalse();
		CompletableFuture<LockHandle> waiter = acquire(this.two, exclusive());
		await().until(() -> view(this.one).hasQueuedThreads());
		await().until(() -> view(this.two).hasQueuedThreads());
		assertThat(this.two.registry().multiLock(other(), this.key).hasQueuedThreads()).isTrue();
		assertThat(this.two.registry().lock(other()).hasQueuedThreads()).isFalse();
		view(this.one).unlock();
		LockHandle next = Threads.join(waiter);
		await().until(() -> !view(this.one).hasQueuedThreads());
		next.release();
	}

	@Test
	void lockIsReleasedByForceFromTheOtherInstance() {
		assertThat(this.two.registry().forceRelease(this.key)).isFalse();
		LockView view = view(this.one);
		view.lock();
		assertThat(this.two.registry().forceRelease(this.key)).isTrue();
		assertThat(view(this.two).tryLock()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock)
			.withMessageContaining("lost");
		assertThat(view(this.two).extend(LONG)).isTrue();
		view(this.two).unlock();
	}

	@Test
	void viewsOfTheSameKindAreEqual() {
		HoldfastLockRegistry registry = this.one.registry();
		List<LockView> kinds = List.of(registry.lock(this.key), registry.fairLock(this.key),
				registry.readWriteLock(this.key).readLock(), registry.multiLock(this.key, other()),
				registry.lock(other()), this.two.registry().lock(this.key));
		assertThat(kinds).doesNotHaveDuplicates();
		List<LockView> again = List.of(registry.readWriteLock(this.key).writeLock(), registry.fairLock(this.key),
				registry.readWriteLock(this.key).readLock(), registry.multiLock(other(), this.key),
				registry.lock(other()), this.two.registry().lock(this.key));
		assertThat(again).containsExactlyElementsOf(kinds);
		assertThat(again).extracting(LockView::hashCode)
			.containsExactlyElementsOf(kinds.stream().map(LockView::hashCode).toList());
		assertThat(kinds).extracting(LockView::toString)
			.containsExactly("LockView[" + this.key + ", exclusive]", "LockView[" + this.key + ", fair]",
					"LockView[" + this.key + ", shared]", "LockView[" + this.key + ", " + other() + ", exclusive]",
					"LockView[" + other() + ", exclusive]", "LockView[" + this.key + ", exclusive]");
	}

}
