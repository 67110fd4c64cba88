package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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
abstract class AbstractSeveralKeysTests extends AbstractStoreTests {

	@Test
	void severalKeysAreAcquiredAllOrNone() {
		try (LockHandle lock = this.one.template().acquire(both())) {
			assertThat(lock.keys()).containsExactly(this.key, other());
			assertThat(lock.fencingToken(this.key)).isPositive();
			assertThat(lock.fencingToken(other())).isPositive();
			assertThatIllegalStateException().isThrownBy(lock::fencingToken).withMessageContaining("fencingToken(key)");
			assertThat(isDenied(this.two, exclusive())).isTrue();
			assertThat(isDenied(this.one, LockRequest.of(other()))).isTrue();
			assertThat(this.one.registry().held()).singleElement()
				.satisfies((held) -> assertThat(held.keys()).containsExactly(this.key, other()));
		}
		assertThat(this.one.registry().held()).isEmpty();
		try (LockHandle blocking = this.two.template().acquire(LockRequest.of(other()))) {
			assertThat(isDenied(this.one, both())).isTrue();
			assertThat(isDenied(this.one, exclusive())).isFalse();
			assertThat(blocking.isHeld()).isTrue();
		}
		assertThat(isDenied(this.one, both())).isFalse();
	}

	/**
	 * But for a moment now and then, where an attempt has got them before it finds the
	 * one that is taken.
	 */
	@Test
	void whoWaitsForSeveralKeysKeepsNobodyOutOfTheOthers() {
		LockHandle blocking = this.two.template().acquire(LockRequest.of(other()));
		CompletableFuture<LockHandle> waiter = acquire(this.one, both());
		awaitQueued(other(), 1);
		await().until(() -> !isDenied(this.one, exclusive()));
		await().until(() -> !isDenied(this.two, exclusive()));
		blocking.release();
		assertThat(Threads.join(waiter).isHeld()).isTrue();
		waiter.join().release();
	}

	@Test
	void nestedKeysDoNotDeadlockWithThoseAcquiredTogether() {
		LockHandle outer = this.one.template().acquire(LockRequest.of(other()));
		CompletableFuture<LockHandle> together = acquire(this.two, both());
		CompletableFuture<LockHandle> alsoTogether = acquire(this.one, both());
		awaitQueued(other(), 2);
		LockHandle inner = this.one.template().acquire(exclusive().waitFor(Duration.ofSeconds(20)));
		inner.release();
		outer.release();
		together.thenAccept(LockHandle::release);
		alsoTogether.thenAccept(LockHandle::release);
		Threads.join(together);
		Threads.join(alsoTogether);
	}

	@Test
	void someKeysAreHeldAlready() {
		LockHandle outer = this.one.template().acquire(LockRequest.of(other()));
		LockHandle joint = this.one.template().acquire(both());
		assertThat(joint.keys()).containsExactly(this.key, other());
		assertThat(joint.fencingToken(other())).isEqualTo(outer.fencingToken());
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
		LockHandle first = this.one.template().acquire(LockRequest.of(other()));
		LockHandle second = this.one.template().acquire(LockRequest.of(third));
		LockRequest all = LockRequest.of(this.key, other(), third);
		LockHandle joint = this.one.template().acquire(all);
		assertThat(joint.keys()).containsExactly(this.key, other(), third);
		assertThat(joint.fencingToken(other())).isEqualTo(first.fencingToken());
		assertThat(joint.fencingToken(third)).isEqualTo(second.fencingToken());
		assertThat(joint.holdCount()).isOne();
		LockHandle again = this.one.template().acquire(all);
		assertThat(again.holdCount()).isEqualTo(2);
		assertThat(again.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(joint.remainingLease()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(again.release()).isEqualTo(ReleaseResult.STILL_HELD);
		List<LockHandle> told = new CopyOnWriteArrayList<>();
		joint.onLost(told::add);
		stores().takeAway(third);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().untilAsserted(() -> assertThat(told).containsExactly(joint));
		await().until(() -> !isDenied(this.two, exclusive()) && first.holdCount() == 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(second.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(isDenied(this.two, all)).isFalse();
	}

	@Test
	void lossOfOneKeyIsLossOfAll() {
		LockHandle lock = this.one.template().acquire(both().lease(Duration.ofMillis(600)));
		CountDownLatch lost = new CountDownLatch(1);
		lock.onLost((handle) -> lost.countDown());
		stores().takeAway(this.key);
		Threads.await(lost);
		assertThat(lock.isHeld()).isFalse();
		await().until(() -> !isDenied(this.two, both()));
		await().untilAsserted(() -> assertThat(this.one.events().lost()).singleElement()
			.satisfies((told) -> assertThat(told.keys()).containsExactly(this.key, other())));
		assertThat(lock.release()).isEqualTo(ReleaseResult.LOST);
	}

	LockRequest many() {
		List<String> keys = IntStream.range(0, stores().keysAtOnce()).mapToObj((i) -> this.key + "-" + i).toList();
		return LockRequest.of(keys).waitFor(Duration.ofSeconds(30));
	}

	String last() {
		return this.key + "-" + (stores().keysAtOnce() - 1);
	}

	@Test
	void asManyKeysAsThereCanBeAreAcquiredAllOrNone() {
		LockHandle blocking = this.two.template().acquire(LockRequest.of(last()));
		assertThat(this.one.template().tryAcquire(many().waitFor(Duration.ZERO))).isEmpty();
		await()
			.untilAsserted(() -> assertThat(this.two.registry().operations().view().look(many().keys())).singleElement()
				.satisfies((state) -> assertThat(state.key()).isEqualTo(last())));
		blocking.release();
		LockHandle all = this.one.template().acquire(many());
		assertThat(all.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(isDenied(this.two, LockRequest.of(last()))).isTrue();
		assertThat(all.release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(() -> this.two.registry().operations().view().look(many().keys()).isEmpty());
	}

}
