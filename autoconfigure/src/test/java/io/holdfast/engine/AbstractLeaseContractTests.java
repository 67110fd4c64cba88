package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * How long a lock is held, and how its holder is told of a loss.
 */
public abstract class AbstractLeaseContractTests extends AbstractStoreTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	/**
	 * A lease that is renewed in time, on a machine that stands still for a moment.
	 */
	private static final Duration RENEWED = Duration.ofSeconds(6);

	@Test
	void leaseIsRenewedWhileItsOwnerLives() {
		LockHandle handle = this.one.template().acquire(request().lease(RENEWED));
		long end = System.nanoTime() + RENEWED.toNanos();
		LockHandle limited = this.one.template()
			.acquire(LockRequest.of(this.key + "-limited").lease(RENEWED).autoRenew(false));
		LockHandle reentered = this.one.template().acquire(LockRequest.of(this.key + "-limited").lease(RENEWED));
		LockHandle ofAnEndedThread = Threads.call(
				() -> this.one.template().acquire(LockRequest.of(this.key + "-handle").lease(RENEWED).ownedByHandle()));
		await().until(() -> System.nanoTime() - end > 0);
		assertThat(isFreeFor(this.two)).isFalse();
		assertThat(List.of(handle, reentered, limited, ofAnEndedThread)).allMatch(LockHandle::isHeld)
			.extracting(LockHandle::release)
			.containsExactly(ReleaseResult.RELEASED, ReleaseResult.STILL_HELD, ReleaseResult.RELEASED,
					ReleaseResult.RELEASED);
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
	void leaseIsNotRenewedPastMaxHold() {
		Duration maxHold = SHORT.multipliedBy(4);
		long start = System.nanoTime();
		LockHandle handle = this.one.template().acquire(request().lease(SHORT.multipliedBy(3)).maxHold(maxHold));
		await().until(() -> !handle.isHeld());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
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
	void interruptOfALossEndsWithItsSection() {
		TestInstance interrupting = newInstance(OnLost.INTERRUPT);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> interrupting.template().execute(request().lease(Duration.ofMillis(300)), (lock) -> {
				stores().takeAway(this.key);
				while (!Thread.currentThread().isInterrupted()) {
					Thread.onSpinWait();
				}
				return "done";
			}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(interrupting.template().tryExecuteWithoutResult(this.key + "-next", (lock) -> {
		})).isTrue();
	}

	@Test
	void interruptOfOthersOutlivesASection() {
		TestInstance interrupting = newInstance(OnLost.INTERRUPT);
		interrupting.template().executeWithoutResult(request(), (lock) -> Thread.currentThread().interrupt());
		assertThat(Thread.interrupted()).isTrue();
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

}
