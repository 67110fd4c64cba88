package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for several keys.
 */
interface SeveralKeysTests extends LockFamily {

	@Test
	default void severalKeysAreAcquiredAllOrNone() {
		try (LockHandle lock = one().template().acquire(both())) {
			assertThat(lock.keys()).containsExactly(key(), other());
			assertThat(lock.fencingToken(key())).isPositive();
			assertThat(lock.fencingToken(other())).isPositive();
			assertThatIllegalStateException().isThrownBy(lock::fencingToken).withMessageContaining("fencingToken(key)");
			assertThat(isDenied(two(), exclusive())).isTrue();
			assertThat(isDenied(one(), LockRequest.of(other()))).isTrue();
			assertThat(one().registry().held()).singleElement()
				.satisfies((held) -> assertThat(held.keys()).containsExactly(key(), other()));
		}
		assertThat(one().registry().held()).isEmpty();
		try (LockHandle blocking = two().template().acquire(LockRequest.of(other()))) {
			assertThat(isDenied(one(), both())).isTrue();
			assertThat(isDenied(one(), exclusive())).isFalse();
			assertThat(blocking.isHeld()).isTrue();
		}
		assertThat(isDenied(one(), both())).isFalse();
	}

	/**
	 * But for a moment now and then, where an attempt has got them before it finds the
	 * one that is taken.
	 */
	@Test
	default void whoWaitsForSeveralKeysKeepsNobodyOutOfTheOthers() {
		LockHandle blocking = two().template().acquire(LockRequest.of(other()));
		CompletableFuture<LockHandle> waiter = acquire(one(), both());
		awaitQueued(other(), 1);
		await().until(() -> !isDenied(one(), exclusive()));
		await().until(() -> !isDenied(two(), exclusive()));
		blocking.release();
		assertThat(Threads.join(waiter).isHeld()).isTrue();
		waiter.join().release();
	}

	@Test
	default void nestedKeysDoNotDeadlockWithThoseAcquiredTogether() {
		LockHandle outer = one().template().acquire(LockRequest.of(other()));
		CompletableFuture<LockHandle> together = acquire(two(), both());
		CompletableFuture<LockHandle> alsoTogether = acquire(one(), both());
		awaitQueued(other(), 2);
		LockHandle inner = one().template().acquire(exclusive().waitFor(Duration.ofSeconds(20)));
		inner.release();
		outer.release();
		together.thenAccept(LockHandle::release);
		alsoTogether.thenAccept(LockHandle::release);
		Threads.join(together);
		Threads.join(alsoTogether);
	}

	@Test
	default void someKeysAreHeldAlready() {
		LockHandle outer = one().template().acquire(LockRequest.of(other()));
		LockHandle joint = one().template().acquire(both());
		assertThat(joint.keys()).containsExactly(key(), other());
		assertThat(joint.fencingToken(other())).isEqualTo(outer.fencingToken());
		assertThat(joint.fencingToken(key())).isPositive();
		assertThat(joint.isHeld()).isTrue();
		assertThat(joint.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.isHeld()).isTrue();
		assertThat(isDenied(two(), exclusive())).isFalse();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	default void keysOfSeveralHoldsAreJoined() {
		String third = "third-" + key();
		LockHandle first = one().template().acquire(LockRequest.of(other()));
		LockHandle second = one().template().acquire(LockRequest.of(third));
		LockRequest all = LockRequest.of(key(), other(), third);
		LockHandle joint = one().template().acquire(all);
		assertThat(joint.keys()).containsExactly(key(), other(), third);
		assertThat(joint.fencingToken(other())).isEqualTo(first.fencingToken());
		assertThat(joint.fencingToken(third)).isEqualTo(second.fencingToken());
		assertThat(joint.holdCount()).isOne();
		LockHandle again = one().template().acquire(all);
		assertThat(again.holdCount()).isEqualTo(2);
		assertThat(again.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(joint.remainingLease()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(again.release()).isEqualTo(ReleaseResult.STILL_HELD);
		kept().takeAway(third);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> !isDenied(two(), exclusive()) && first.holdCount() == 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(second.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(isDenied(two(), all)).isFalse();
	}

	@Test
	default void lossOfOneKeyIsLossOfAll() {
		LockHandle lock = one().template().acquire(both().lease(Duration.ofMillis(600)));
		CountDownLatch lost = new CountDownLatch(1);
		lock.onLost((handle) -> lost.countDown());
		kept().takeAway(key());
		Threads.await(lost);
		assertThat(lock.isHeld()).isFalse();
		await().until(() -> !isDenied(two(), both()));
		await().untilAsserted(() -> assertThat(one().events().lost()).singleElement()
			.satisfies((told) -> assertThat(told.keys()).containsExactly(key(), other())));
		assertThat(lock.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	default void lossOfAPartReleasesTheRest() {
		LockHandle outer = one().template().acquire(LockRequest.of(other()));
		LockHandle joint = one().template().acquire(both().lease(Duration.ofMillis(600)));
		CountDownLatch lost = new CountDownLatch(1);
		joint.onLost((handle) -> lost.countDown());
		kept().takeAway(key());
		Threads.await(lost);
		assertThat(joint.isHeld()).isFalse();
		await().until(() -> outer.holdCount() == 1);
		assertThat(outer.isHeld()).isTrue();
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Return how many keys are asked for: fewer where that takes a test too long.
	 */
	default int keysAtOnce() {
		return LockRequest.MOST_KEYS;
	}

	default LockRequest many() {
		List<String> keys = IntStream.range(0, keysAtOnce()).mapToObj((i) -> key() + "-" + i).toList();
		return LockRequest.of(keys).waitFor(Duration.ofSeconds(30));
	}

	default String last() {
		return key() + "-" + (keysAtOnce() - 1);
	}

	@Test
	default void asManyKeysAsThereCanBeAreAcquiredAllOrNone() {
		LockHandle blocking = two().template().acquire(LockRequest.of(last()));
		assertThat(one().template().tryAcquire(many().waitFor(Duration.ZERO))).isEmpty();
		await().untilAsserted(() -> assertThat(two().registry().operations().view().look(many().keys())).singleElement()
			.satisfies((state) -> assertThat(state.key()).isEqualTo(last())));
		blocking.release();
		LockHandle all = one().template().acquire(many());
		assertThat(all.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(isDenied(two(), LockRequest.of(last()))).isTrue();
		assertThat(all.release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(() -> two().registry().operations().view().look(many().keys()).isEmpty());
	}

}
