package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whether a thread still holds what it relies on.
 */
public abstract class AbstractHoldCheckTests extends AbstractNetworkTests {

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * A lease that is neither over nor renewed in the background within a test.
	 */
	private static final Duration LONG = Duration.ofMinutes(5);

	private LockRegistry registry;

	@BeforeEach
	void useTheFirstInstance() {
		this.registry = this.one.registry();
	}

	private void takeAway() {
		stores().takeAway(this.key);
	}

	private void assertLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.registry::ensureHeldByCurrentThread)
			.withMessageContainingAll(this.key, Thread.currentThread().getName())
			.withCauseInstanceOf(LockLostException.class);
	}

	private void assertHeld() {
		assertThatCode(this.registry::ensureHeldByCurrentThread).doesNotThrowAnyException();
	}

	// What is asked

	@Test
	void allHoldsOfTheThreadAreAskedForInOneCall() {
		LockHandle first = this.registry.acquireOrThrow(request());
		LockHandle again = this.registry.acquireOrThrow(request());
		LockHandle second = this.registry.acquireOrThrow(LockRequest.of(this.key + "-b", this.key + "-c"));
		this.registry.acquireOrThrow(LockRequest.of(this.key + "-released")).close();
		LockHandle ofNobody = this.registry.acquireOrThrow(LockRequest.of(this.key + "-own").ownedByHandle());
		LockHandle ofAnother = Threads.call(() -> this.registry.acquireOrThrow(LockRequest.of(this.key + "-other")));
		assertHeld();
		assertThat(this.network.renewedKeys()).containsExactly(3);
		List.of(first, again, second, ofNobody, ofAnother).forEach(LockHandle::close);
		assertHeld();
		assertThat(this.network.renewedKeys()).containsExactly(3);
	}

	@Test
	void manyHoldsAreAskedForInSeveralCalls() {
		List<LockHandle> handles = IntStream.range(0, 150)
			.mapToObj((i) -> this.registry.acquireOrThrow(LockRequest.of(this.key + i).lease(LONG)))
			.toList();
		assertHeld();
		assertThat(this.network.renewedKeys()).containsExactlyInAnyOrder(128, 22);
		handles.forEach(LockHandle::release);
	}

	@Test
	void leaseIsRenewedByTheWay() {
		LockHandle handle = this.registry.acquireOrThrow(request().lease(LONG));
		await().pollInSameThread().until(() -> {
			Duration before = handle.remainingLease();
			assertHeld();
			return handle.remainingLease().compareTo(before) > 0;
		});
		handle.close();
	}

	@Test
	void leaseThatIsALimitIsNotProlonged() {
		LockHandle handle = this.registry.acquireOrThrow(request().lease(LONG).autoRenew(false));
		Duration atFirst = handle.remainingLease();
		await().until(() -> handle.remainingLease().compareTo(atFirst.minusMillis(500)) < 0);
		assertHeld();
		assertThat(this.two.registry().operations().view().look(List.of(this.key))).singleElement()
			.satisfies((state) -> assertThat(state.holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isLessThan(LONG.minusMillis(400))));
		handle.close();
	}

	// What is found

	@Test
	void lossThatNobodyHasNoticedIsFoundAndToldOnce() {
		LockHandle handle = this.registry.acquireOrThrow(request());
		LockHandle unharmed = this.registry.acquireOrThrow(LockRequest.of(this.key + "-b"));
		takeAway();
		assertLost();
		assertLost();
		assertThat(unharmed.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertHeld();
		await().untilAsserted(() -> assertThat(this.one.events().lost()).hasSize(1));
		unharmed.close();
	}

	@Test
	void lostHoldCountsUntilTheLastOfItsHandlesIsReleased() {
		LockHandle outer = this.registry.acquireOrThrow(request());
		LockHandle inner = this.registry.acquireOrThrow(request());
		takeAway();
		assertLost();
		inner.release();
		assertLost();
		Threads.call(outer::release);
		assertHeld();
	}

	@Test
	void holdAfterALostOneOfTheSameKeyDoesNotMakeUpForIt() {
		LockHandle lost = this.registry.acquireOrThrow(request());
		takeAway();
		assertThat(lost.extend(LONG)).isFalse();
		LockHandle fresh = this.registry.acquireOrThrow(request());
		assertLost();
		lost.release();
		assertHeld();
		fresh.close();
	}

	@Test
	void handleThatWasThrownAwayCountsUntilItIsCollected() {
		loseAndForget();
		assertLost();
		await().pollInSameThread().untilAsserted(() -> {
			System.gc();
			assertHeld();
		});
	}

	private void loseAndForget() {
		LockHandle handle = this.registry.acquireOrThrow(request().lease(SHORT).autoRenew(false));
		await().until(() -> !handle.isHeld());
	}

	// What cannot be asked

	@Test
	void storeThatCannotBeAskedDoesNotMatterWhileTheLeaseLasts() {
		LockHandle handle = this.registry.acquireOrThrow(request());
		this.network.loseRequests(Operation.RENEW, 2);
		assertHeld();
		this.network.loseReplies(Operation.RENEW, 2);
		assertHeld();
		assertThat(handle.isHeld()).isTrue();
		handle.close();
	}

	@Test
	void threadHoldsWhatItHasAcquiredInWhicheverWay() {
		assertThat(this.registry.isHeldByCurrentThread(this.key)).isFalse();
		try (LockHandle handle = this.registry.acquireOrThrow(request().shared())) {
			assertThat(this.registry.isHeldByCurrentThread(handle.keys().get(0))).isTrue();
			assertThat(this.two.registry().isHeldByCurrentThread(this.key)).isFalse();
			assertThat(Threads.call(() -> this.registry.isHeldByCurrentThread(this.key))).isFalse();
		}
		assertThat(this.registry.isHeldByCurrentThread(this.key)).isFalse();
		this.registry.lock(this.key).lock();
		assertThat(this.registry.isHeldByCurrentThread(this.key)).isTrue();
		this.registry.lock(this.key).unlock();
		try (LockHandle handle = this.registry.acquireOrThrow(request().ownedByHandle())) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.registry.isHeldByCurrentThread(this.key)).isFalse();
		}
	}

}
