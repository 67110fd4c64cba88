package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do with locks that are kept after their release.
 */
interface MinHoldTests extends LockFamily {

	/**
	 * Longer than any of the tests.
	 */
	Duration LONG = Duration.ofMinutes(2);

	Duration SHORT = Duration.ofMillis(400);

	private LockRequest keptLong() {
		return exclusive().minHold(LONG);
	}

	private boolean isDeniedHere(LockRequest request) {
		Optional<LockHandle> handle = one().template().tryAcquire(oneTry(request));
		handle.ifPresent(LockHandle::close);
		return handle.isEmpty();
	}

	@Test
	default void nobodyGetsInAfterAnEarlyRelease() {
		assertThat(one().template().acquire(keptLong()).release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(one().registry().held()).isEmpty();
		assertThat(one().events().released()).containsExactly(ReleaseResult.RELEASED);
		assertThat(isDenied(two(), exclusive())).isTrue();
		assertThat(isDenied(one(), exclusive())).isTrue();
		assertThat(isDeniedHere(exclusive())).isTrue();
		assertThat(isDeniedHere(keptLong())).isTrue();
		assertThat(isDeniedHere(exclusive().fair())).isTrue();
		assertThat(isDeniedHere(shared())).isTrue();
		assertThat(one().registry().lock(key()).tryLock()).isFalse();
	}

	@Test
	default void lockIsFreeWhenTheRestIsOver() {
		long before = System.nanoTime();
		one().template().acquire(exclusive().minHold(SHORT)).release();
		try (LockHandle next = Threads.join(acquire(two(), exclusive()))) {
			assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(SHORT);
			assertThat(next.isHeld()).isTrue();
		}
		assertThat(isDeniedHere(exclusive())).isFalse();
	}

	private static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().pollInterval(Duration.ofMillis(10)).until(() -> System.nanoTime() - end >= 0);
	}

	/**
	 * Its last answer said that the lock is taken for the whole of its lease, so by
	 * itself it would look again 450 ms later. Tried again when the machine was too busy.
	 */
	@Test
	default void waiterComesInRightAfterTheRest() {
		await().atMost(Duration.ofSeconds(60))
			.until(() -> List.of(delayAfterTheRest(one()), delayAfterTheRest(two())),
					(delays) -> delays.stream().allMatch((delay) -> delay.compareTo(Duration.ofMillis(100)) < 0));
	}

	private Duration delayAfterTheRest(TestInstance waiting) {
		Duration minHold = Duration.ofMillis(250);
		LockHandle first = one().template().acquire(exclusive().minHold(minHold));
		long end = System.nanoTime() + minHold.toNanos();
		CompletableFuture<LockHandle> waiter = acquire(waiting, exclusive());
		AbstractStoreTests.awaitParked(1);
		first.release();
		boolean early = System.nanoTime() - end < 0;
		Threads.join(waiter).release();
		return early ? Duration.ofNanos(System.nanoTime() - end) : minHold;
	}

	@Test
	default void waitersKeepTheirPlaces() {
		TestInstance one = patient();
		LockHandle first = one.template().acquire(exclusive().minHold(SHORT));
		CompletableFuture<LockHandle> second = acquire(patient(), exclusive().fair());
		awaitQueued(key(), 1);
		CompletableFuture<LockHandle> third = acquire(one, exclusive().fair());
		awaitQueued(key(), 2);
		first.release();
		LockHandle served = Threads.join(second);
		assertThat(third).isNotDone();
		served.release();
		Threads.join(third).release();
	}

	@Test
	default void latestOfNestedAcquisitionsCounts() {
		LockHandle outer = one().template().acquire(exclusive());
		LockHandle inner = one().template().acquire(keptLong());
		LockHandle innermost = one().template().acquire(exclusive().minHold(SHORT));
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(innermost.release()).isEqualTo(ReleaseResult.STILL_HELD);
		pass(SHORT);
		assertThat(outer.isHeld()).isTrue();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(two(), exclusive())).isTrue();
		assertThat(isDeniedHere(exclusive())).isTrue();
	}

	@Test
	default void allKeysAreKept() {
		one().template().acquire(both().minHold(LONG)).release();
		assertThat(isDenied(two(), LockRequest.of(key()))).isTrue();
		assertThat(isDenied(two(), LockRequest.of(other()))).isTrue();
		assertThat(isDeniedHere(both())).isTrue();
	}

	@Test
	default void whatWasAcquiredInVainIsNotKept() {
		LockHandle blocking = two().template().acquire(LockRequest.of(other()));
		LockHandle outer = one().template().acquire(exclusive());
		assertThat(one().template().tryAcquire(oneTry(both().minHold(LONG)))).isEmpty();
		outer.release();
		assertThat(isDenied(two(), exclusive())).isFalse();
		blocking.release();
		assertThat(one().template().acquire(both().minHold(LONG)).giveBack()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(two(), both())).isFalse();
	}

	@Test
	default void whatWasLostIsNotKept() {
		LockHandle handle = one().template().acquire(keptLong());
		kept().takeAway(key());
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(isDenied(two(), exclusive())).isFalse();
	}

	@Test
	default void keptReadLockCanBeSharedButNotWritten() {
		one().template().acquire(shared().minHold(LONG)).release();
		assertThat(isDenied(two(), shared())).isFalse();
		assertThat(isDeniedHere(shared())).isFalse();
		assertThat(isDenied(two(), exclusive())).isTrue();
		assertThat(isDeniedHere(exclusive())).isTrue();
	}

	@Test
	default void shutdownLeavesWhatIsKept() {
		one().template().acquire(keptLong()).release();
		one().template().acquire(LockRequest.of(other()).minHold(LONG));
		LockRequest third = LockRequest.of("third-" + key());
		one().template().acquire(third);
		one().close();
		assertThat(isDenied(two(), exclusive())).isTrue();
		assertThat(isDenied(two(), LockRequest.of(other()))).isTrue();
		assertThat(isDenied(two(), third)).isFalse();
	}

}
