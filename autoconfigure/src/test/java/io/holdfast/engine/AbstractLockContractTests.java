package io.holdfast.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockListener;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.store.LockStore;
import io.holdfast.test.StallProneTest;
import io.holdfast.test.Threads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What users can rely on, whatever the store. Two instances, {@code one} and {@code two},
 * share it.
 */
public abstract class AbstractLockContractTests extends AbstractStoreTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	/**
	 * A lease that survives what a busy machine does to the watchdog.
	 */
	private static final Duration LONG_ENOUGH = Duration.ofSeconds(2);

	private TestInstance one;

	private TestInstance two;

	@BeforeEach
	void createInstances() {
		this.one = newInstance();
		this.two = newInstance();
	}

	private LockRequest request() {
		return LockRequest.of(this.key);
	}

	private LockRequest oneTry() {
		return request().waitFor(Duration.ZERO);
	}

	private boolean isFreeFor(TestInstance instance) {
		return Threads.call(() -> {
			Optional<LockHandle> handle = instance.template().tryAcquire(oneTry());
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		});
	}

	private static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().until(() -> System.nanoTime() - end >= 0);
	}

	// Exclusion

	@Test
	void excludesOtherInstancesUntilReleased() {
		LockHandle handle = this.one.template().acquire(this.key);
		assertThat(isFreeFor(this.two)).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void excludesOtherThreadsOfTheSameInstance() {
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(isFreeFor(this.one)).isFalse();
		}
		assertThat(isFreeFor(this.one)).isTrue();
	}

	@Test
	void doesNotExcludeOtherKeys() {
		try (LockHandle handle = this.one.template().acquire(this.key);
				LockHandle other = this.two.template().acquire(this.key + "-other")) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void describesWhatIsHeld() {
		try (LockHandle handle = this.one.template().acquire(request().name("orders"))) {
			assertThat(handle.keys()).containsExactly("orders:" + this.key);
			assertThat(handle.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(handle.holdCount()).isOne();
			assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
			assertThat(handle.fencingToken("orders:" + this.key)).isEqualTo(handle.fencingToken());
			assertThatIllegalArgumentException().isThrownBy(() -> handle.fencingToken("oth\ner"))
				.withMessageContaining("'oth\\ner'");
			assertThat(this.one.registry().held()).singleElement().satisfies((LockSnapshot lock) -> {
				assertThat(lock.keys()).containsExactly("orders:" + this.key);
				assertThat(lock.name()).isEqualTo("orders");
				assertThat(lock.owner()).isEqualTo(this.one.id() + ":" + Thread.currentThread().getId());
				assertThat(lock.threadName()).isEqualTo(Thread.currentThread().getName());
				assertThat(lock.holdCount()).isOne();
				assertThat(lock.fencingToken()).isEqualTo(handle.fencingToken());
			});
		}
		assertThat(this.one.registry().held()).isEmpty();
	}

	// Reentry

	@Test
	void isReentrantForItsThread() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(oneTry());
		assertThat(inner.holdCount()).isEqualTo(2);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(inner.isHeld()).isFalse();
		assertThat(outer.isHeld()).isTrue();
		assertThat(outer.holdCount()).isOne();
		assertThat(isFreeFor(this.two)).isFalse();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void reentersPastWaiters() {
		LockHandle outer = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> this.one.template().acquire(request().ownedByHandle()));
		await().until(() -> this.one.registry().status().acquiring() == 1);
		LockHandle inner = this.one.template().acquire(oneTry());
		inner.close();
		outer.close();
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void nestedAcquisitionNeverShortensTheLease() {
		try (LockHandle outer = this.one.template().acquire(request().lease(Duration.ofSeconds(20)))) {
			try (LockHandle inner = this.one.template().acquire(request().lease(Duration.ofSeconds(1)))) {
				assertThat(inner.remainingLease()).isGreaterThan(Duration.ofSeconds(15));
			}
			assertThat(outer.remainingLease()).isGreaterThan(Duration.ofSeconds(15));
		}
	}

	@StallProneTest
	void nestedAcquisitionWithRenewalKeepsAnOuterHoldWithoutRenewalAlive() {
		try (LockHandle outer = this.one.template().acquire(request().lease(LONG_ENOUGH).autoRenew(false));
				LockHandle inner = this.one.template().acquire(request().lease(LONG_ENOUGH))) {
			pass(LONG_ENOUGH.multipliedBy(3).dividedBy(2));
			assertThat(inner.isHeld()).isTrue();
			assertThat(outer.isHeld()).isTrue();
		}
	}

	@Test
	void handleBoundHoldIsNotReentrantAndCanBeReleasedByAnyThread() {
		LockHandle handle = this.one.template().acquire(request().ownedByHandle());
		assertThat(this.one.template().tryAcquire(oneTry().ownedByHandle())).isEmpty();
		assertThat(this.one.template().tryAcquire(oneTry())).isEmpty();
		assertThat(Threads.call(handle::release)).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.one)).isTrue();
	}

	@StallProneTest
	void handleBoundHoldOutlivesTheThreadThatAcquiredIt() {
		LockHandle handle = Threads
			.call(() -> this.one.template().acquire(request().lease(LONG_ENOUGH).ownedByHandle()));
		pass(LONG_ENOUGH.multipliedBy(3).dividedBy(2));
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	// Release

	@Test
	void secondReleaseDoesNothing() {
		LockHandle handle = this.one.template().acquire(this.key);
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle next = this.one.template().acquire(this.key);
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void releasedHandleSaysSo() {
		LockHandle handle = this.one.template().acquire(this.key);
		handle.close();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.holdCount()).isZero();
		assertThat(handle.remainingLease()).isZero();
		assertThat(handle.extend(Duration.ofSeconds(5))).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.withMessageContaining(this.key)
			.withMessageContaining("released");
	}

	// Waiting

	@Test
	void doesNotWaitForOneTry() {
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			String holder = this.one.id() + ":" + Thread.currentThread().getId();
			LockRequest oneTry = oneTry();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.template().acquire(oneTry))
				.satisfies((ex) -> {
					assertThat(ex.getKey()).isEqualTo(this.key);
					assertThat(ex.getWaited()).isLessThan(Duration.ofSeconds(10));
					assertThat(ex.getHolder()).isEqualTo(holder);
				});
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void givesUpWhenTheWaitIsOver() {
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			for (TestInstance instance : List.of(this.one, this.two)) {
				LockNotAcquiredException failure = Threads.call(() -> {
					try {
						instance.template().acquire(request().waitFor(SHORT));
						throw new IllegalStateException("acquired");
					}
					catch (LockNotAcquiredException ex) {
						return ex;
					}
				});
				assertThat(failure.getWaited()).isBetween(SHORT, SHORT.plusSeconds(10));
				assertThat(failure.getHolder()).isEqualTo(this.one.id() + ":" + Thread.currentThread().getId());
			}
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void waiterOfAnotherInstanceGetsTheLockWhenItIsReleased() {
		LockHandle handle = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			try (LockHandle waited = this.two.template().acquire(this.key)) {
				return waited.isHeld();
			}
		});
		await().until(() -> this.two.registry().status().acquiring() == 1);
		assertThat(waiter).isNotDone();
		handle.close();
		assertThat(Threads.join(waiter)).isTrue();
	}

	@Test
	void waiterOfTheSameInstanceGetsTheLockWhenItIsReleased() {
		LockHandle handle = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			try (LockHandle waited = this.one.template().acquire(this.key)) {
				return waited.isHeld();
			}
		});
		await().until(() -> this.one.registry().status().acquiring() == 1);
		handle.close();
		assertThat(Threads.join(waiter)).isTrue();
	}

	@Test
	void waiterGetsTheLockWhenItsHolderDoesNotReleaseIt() {
		LockRequest shortLived = request().lease(SHORT).autoRenew(false);
		long start = System.nanoTime();
		this.one.template().acquire(shortLived);
		try (LockHandle handle = this.two.template().acquire(this.key)) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT.minusMillis(20),
					SHORT.plusSeconds(10));
		}
	}

	@Test
	void interruptEndsTheWait() throws InterruptedException {
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			for (TestInstance instance : List.of(this.one, this.two)) {
				CompletableFuture<Boolean> flag = new CompletableFuture<>();
				CompletableFuture<Throwable> failure = new CompletableFuture<>();
				Thread waiter = new Thread(() -> {
					try {
						instance.template().acquire(request().waitForever());
					}
					catch (RuntimeException ex) {
						flag.complete(Thread.currentThread().isInterrupted());
						failure.complete(ex);
					}
				});
				waiter.start();
				await().until(() -> instance.registry().status().acquiring() == 1);
				waiter.interrupt();
				assertThat(Threads.join(failure)).isInstanceOf(LockInterruptedException.class)
					.hasMessageContaining(this.key)
					.hasCauseInstanceOf(InterruptedException.class);
				assertThat(Threads.join(flag)).isTrue();
				waiter.join();
			}
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void releaseOnAnInterruptedThreadGoesThrough() {
		LockHandle handle = this.one.template().acquire(this.key);
		Thread.currentThread().interrupt();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Thread.interrupted()).isTrue();
	}

	// Fencing

	@Test
	void tokensOfAKeyGrowWithEveryGrant() {
		long last = 0;
		for (int i = 0; i < 50; i++) {
			TestInstance instance = (i % 2 == 0) ? this.one : this.two;
			try (LockHandle handle = instance.template().acquire(this.key)) {
				assertThat(handle.fencingToken()).isGreaterThan(last);
				last = handle.fencingToken();
			}
		}
	}

	@Test
	void tokenGrowsAfterExpiry() {
		LockHandle lost = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		try (LockHandle handle = this.two.template().acquire(this.key)) {
			assertThat(handle.fencingToken()).isGreaterThan(lost.fencingToken());
		}
	}

	// Renewal

	@StallProneTest
	void leaseIsRenewedWhileItsOwnerLives() {
		Duration lease = Duration.ofSeconds(2);
		try (LockHandle handle = this.one.template().acquire(request().lease(lease))) {
			long fiveSeconds = System.nanoTime() + Duration.ofSeconds(5).toNanos();
			await().atMost(Duration.ofSeconds(10))
				.failFast("lost the lock", () -> !handle.isHeld())
				.until(() -> System.nanoTime() - fiveSeconds > 0);
			assertThat(isFreeFor(this.two)).isFalse();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(this.one.events().lost()).isEmpty();
		assertThat(this.one.registry().status().lastRenewal()).isNotNull();
	}

	@Test
	void leaseEndsAfterItsOwnersThreadHasDied() {
		Duration lease = Duration.ofSeconds(1);
		Threads.call(() -> this.one.template().acquire(request().lease(lease)));
		await().atMost(lease.multipliedBy(15)).until(() -> isFreeFor(this.two));
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void leaseIsAHardLimitWithoutRenewal() {
		LockHandle handle = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		await().until(() -> !handle.isHeld());
		await().until(() -> isFreeFor(this.two));
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(this.one.events().lost()).hasSize(1);
	}

	@StallProneTest
	void leaseIsNotRenewedPastMaxHold() {
		LockHandle handle = this.one.template()
			.acquire(request().lease(SHORT.multipliedBy(3)).maxHold(SHORT.multipliedBy(4)));
		long start = System.nanoTime();
		await().until(() -> !handle.isHeld());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT.multipliedBy(4),
				SHORT.multipliedBy(100));
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void extendLengthensTheLeaseAndNeverShortensIt() {
		try (LockHandle handle = this.one.template().acquire(request().autoRenew(false))) {
			assertThat(handle.extend(Duration.ofMinutes(5))).isTrue();
			assertThat(handle.remainingLease()).isGreaterThan(Duration.ofMinutes(4));
			assertThat(handle.extend(Duration.ofSeconds(1))).isTrue();
			assertThat(handle.remainingLease()).isGreaterThan(Duration.ofMinutes(4));
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO))
				.withMessageContaining("lease");
		}
	}

	// Loss

	@Test
	void lossIsToldOnceAndEndsTheSection() {
		CountDownLatch told = new CountDownLatch(1);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.one.template().execute(request().lease(Duration.ofMillis(300)), (lock) -> {
				lock.onLost((lost) -> told.countDown());
				stores().takeAway(this.key);
				Threads.await(told);
				assertThat(lock.isHeld()).isFalse();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld);
				return "result";
			}))
			.withMessageContaining(this.key);
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(this.one.events().lost()).singleElement()
			.satisfies((lock) -> assertThat(lock.keys()).containsExactly(this.key));
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void lossFoundOnlyAtReleaseIsToldOnceAndEndsTheSection() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.one.template().executeWithoutResult(this.key, (lock) -> stores().takeAway(this.key)));
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(this.one.events().released()).containsExactly(ReleaseResult.LOST);
	}

	@Test
	void businessExceptionWinsOverLoss() {
		IllegalStateException own = new IllegalStateException("business");
		assertThatIllegalStateException().isThrownBy(() -> this.one.template().execute(this.key, (lock) -> {
			stores().takeAway(this.key);
			throw own;
		}))
			.isSameAs(own)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void lossIsOnlyLoggedWhenSoConfigured() {
		TestInstance logging = newInstance(OnLost.LOG);
		String result = logging.template().execute(this.key, (lock) -> {
			stores().takeAway(this.key);
			return "result";
		});
		assertThat(result).isEqualTo("result");
		await().until(() -> logging.events().lost().size() == 1);
	}

	@Test
	void lossInterruptsTheOwnerWhenSoConfigured() {
		TestInstance interrupting = newInstance(OnLost.INTERRUPT);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> interrupting.template().execute(request().lease(Duration.ofMillis(300)), (lock) -> {
				stores().takeAway(this.key);
				try {
					new CountDownLatch(1).await(30, TimeUnit.SECONDS);
					return "not interrupted";
				}
				catch (InterruptedException ex) {
					return "interrupted";
				}
			}));
		assertThat(Thread.interrupted()).isFalse();
		await().until(() -> interrupting.events().lost().size() == 1);
	}

	@Test
	void lossListenerThatComesLateIsCalledAtOnce() {
		LockHandle handle = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		await().until(() -> this.one.events().lost().size() == 1);
		AtomicInteger calls = new AtomicInteger();
		handle.onLost((lost) -> calls.incrementAndGet());
		assertThat(calls).hasValue(1);
		handle.close();
	}

	@Test
	void releaseOfALostOuterHoldDoesNotTouchANewOneOfTheSameThread() {
		LockHandle outer = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		await().until(() -> !outer.isHeld());
		LockHandle inner = this.one.template().acquire(this.key);
		assertThat(inner.holdCount()).isOne();
		assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(inner.isHeld()).isTrue();
		assertThat(isFreeFor(this.two)).isFalse();
		assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void holdOfAnotherOwnerSurvivesTheReleaseOfALostOne() {
		LockHandle lost = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		try (LockHandle other = this.two.template().acquire(this.key)) {
			assertThat(lost.release()).isEqualTo(ReleaseResult.LOST);
			assertThat(lost.extend(Duration.ofSeconds(5))).isFalse();
			assertThat(other.isHeld()).isTrue();
			assertThat(isFreeFor(this.one)).isFalse();
		}
	}

	// Template

	@Test
	void executeReturnsTheResultAndReleases() {
		String result = this.one.template().execute(this.key, (lock) -> {
			assertThat(isFreeFor(this.two)).isFalse();
			return "result";
		});
		assertThat(result).isEqualTo("result");
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void executeReleasesWhenTheActionThrows() {
		assertThatThrownBy(() -> this.one.template().execute(this.key, (lock) -> {
			throw new IOException("checked");
		})).isInstanceOf(IOException.class).hasMessage("checked").hasNoSuppressedExceptions();
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void tryExecuteMakesOneTry() {
		LockTemplate template = this.two.template();
		assertThat(template.<String, RuntimeException>tryExecute(this.key, (lock) -> "result")).contains("result");
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			long start = System.nanoTime();
			assertThat(template.<String, RuntimeException>tryExecute(this.key, (lock) -> "result")).isEmpty();
			assertThat(template.<String, RuntimeException>tryExecute(request(), (lock) -> "result")).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	// java.util.concurrent view

	@Test
	void viewIsReentrantAndCountsItsUnlocks() {
		Lock lock = this.one.registry().lock(this.key);
		lock.lock();
		assertThat(this.one.registry().lock(this.key).tryLock()).isTrue();
		lock.unlock();
		assertThat(isFreeFor(this.two)).isFalse();
		lock.unlock();
		assertThat(isFreeFor(this.two)).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void viewCannotBeUnlockedByAnotherThreadOrWithoutALock() {
		Lock lock = this.one.registry().lock(this.key);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining(this.key);
		try (LockHandle ofTheTemplate = this.one.template().acquire(this.key)) {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThat(ofTheTemplate.isHeld()).isTrue();
		}
		lock.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> Threads.call(() -> {
			lock.unlock();
			return "unlocked";
		}));
		lock.unlock();
	}

	@Test
	void viewThrowsOnUnlockOfALostLock() {
		Lock lock = this.one.registry().lock(this.key);
		lock.lock();
		stores().takeAway(this.key);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining("lost");
		lock.lock();
		lock.unlock();
	}

	@Test
	void viewTriesAndWaitsAsAsked() throws InterruptedException {
		Lock lock = this.two.registry().lock(this.key);
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			assertThat(lock.tryLock()).isFalse();
			assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
			long start = System.nanoTime();
			assertThat(lock.tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
		lock.unlock();
	}

	@Test
	void viewLocksUninterruptibly() throws InterruptedException {
		Lock lock = this.two.registry().lock(this.key);
		LockHandle handle = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			lock.lock();
			flag.complete(Thread.currentThread().isInterrupted());
			lock.unlock();
		});
		waiter.start();
		await().until(() -> this.two.registry().status().acquiring() == 1);
		waiter.interrupt();
		await().until(() -> !waiter.isInterrupted());
		assertThat(flag).isNotDone();
		handle.close();
		assertThat(Threads.join(flag)).isTrue();
		waiter.join();
	}

	@Test
	void viewIsInterruptibleWhereItSaysSo() {
		Lock lock = this.two.registry().lock(this.key);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
		assertThat(Thread.interrupted()).isFalse();
		assertThat(isFreeFor(this.one)).isTrue();
	}

	@Test
	void viewHasNoConditions() {
		Lock lock = this.one.registry().lock(this.key);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
	}

	// Shutdown

	@Test
	void shutdownSendsWaitersAwayAndTakesLocksBack() {
		LockHandle handle = this.one.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiters = List.of(
				Threads.start(() -> this.one.template().acquire(request().waitForever())),
				Threads.start(() -> this.one.template().acquire(request().waitForever())));
		await().until(() -> this.one.registry().status().acquiring() == 2);
		this.one.registry().stop(Duration.ZERO);
		for (CompletableFuture<LockHandle> waiter : waiters) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(waiter))
				.withMessageContaining("shutting down");
		}
		assertThat(isFreeFor(this.two)).isTrue();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(this.key));
	}

	@Test
	void shutdownLetsWorkFinish() {
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		CompletableFuture<String> work = Threads.start(() -> this.one.template().execute(this.key, (lock) -> {
			held.countDown();
			Threads.await(stopping);
			assertThat(this.one.registry().lock(this.key).tryLock()).isTrue();
			this.one.registry().lock(this.key).unlock();
			return "finished";
		}));
		Threads.await(held);
		CompletableFuture<Boolean> stop = Threads.start(() -> {
			this.one.registry().stop(Duration.ofSeconds(30));
			return true;
		});
		await().until(() -> isClosed(this.one));
		stopping.countDown();
		assertThat(Threads.join(work)).isEqualTo("finished");
		assertThat(Threads.join(stop)).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void waitsEndSomeTimeAfterAShutdownHasBegun() {
		LockHandle handle = this.two.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiters = List.of(
				Threads.start(() -> this.one.template().acquire(request().waitForever())),
				Threads.start(() -> this.one.template().acquire(request().waitForever())),
				Threads.start(() -> this.one.template().acquire(request().fair().waitForever())),
				this.one.template().acquireAsync(request().waitForever()));
		await().until(() -> this.one.registry().status().waiting() == 4);
		this.one.registry().limitWaits(Duration.ofMillis(50));
		assertThat(waiters).allSatisfy((waiter) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Threads.join(waiter))
			.withMessageContaining("shutting down"));
		handle.close();
		await().until(() -> isFreeFor(this.one));
	}

	@Test
	void waitsGoOnForSomeTimeAfterAShutdownHasBegun() {
		LockHandle handle = this.two.template().acquire(this.key);
		CompletableFuture<ReleaseResult> waiter = Threads
			.start(() -> this.one.template().acquire(request().waitForever()).release());
		await().until(() -> this.one.registry().status().waiting() == 1);
		this.one.registry().limitWaits(Duration.ofSeconds(60));
		handle.close();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waitsHaveNoEndAnyMoreWhenStartedAgain() {
		LockHandle handle = this.two.template().acquire(this.key);
		this.one.registry().limitWaits(Duration.ZERO);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(this.key));
		this.one.registry().start();
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> this.one.template().acquire(this.key).release());
		await().until(() -> this.one.registry().status().waiting() == 1);
		handle.close();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void canBeStartedAgain() {
		this.one.registry().stop(Duration.ZERO);
		this.one.registry().start();
		assertThat(isFreeFor(this.one)).isTrue();
		LockHandle handle = this.two.template().acquire(this.key);
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> this.one.template().acquire(this.key).release());
		await().until(() -> this.one.registry().status().acquiring() == 1);
		handle.close();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	private boolean isClosed(TestInstance instance) {
		try {
			instance.template()
				.tryAcquire(LockRequest.of(this.key + "-probe").waitFor(Duration.ZERO))
				.ifPresent(LockHandle::close);
			return false;
		}
		catch (LockUnavailableException ex) {
			return true;
		}
	}

	@Test
	void listenersCannotKeepALock() {
		LockStore store = stores().open("listened-to");
		EngineSettings settings = new EngineSettings("listened-to", Duration.ofSeconds(30), Duration.ofSeconds(5), true,
				null, false, OnLost.THROW, 16);
		HoldfastLockRegistry registry = new HoldfastLockRegistry(store, settings, () -> List.of(new LockListener() {
			@Override
			public void onAcquired(LockSnapshot lock, Duration waited) {
				sneak(new IOException("checked"));
			}

			@Override
			public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
				throw new AssertionError("unexpected");
			}
		}));
		assertThat(new LockTemplate(registry).acquire(this.key).release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.two)).isTrue();
		registry.stop(Duration.ZERO);
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void sneak(Throwable exception) throws T {
		throw (T) exception;
	}

}
