package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What every store that can limit the holders of a lock must do.
 */
public abstract class AbstractPermitTests extends AbstractStoreTests {

	LockRequest permits(int permits) {
		return exclusive().permits(permits);
	}

	LockRequest byHandle(int permits) {
		return permits(permits).ownedByHandle();
	}

	List<LockHandle> take(int permits, LockRequest request) {
		return IntStream.range(0, permits)
			.mapToObj((i) -> ((i % 2 == 0) ? this.one : this.two).template().acquire(request))
			.toList();
	}

	@Test
	void soManyHoldItAtATime() {
		List<LockHandle> handles = take(3, byHandle(3));
		assertThat(handles).allMatch(LockHandle::isHeld);
		assertThat(handles).extracting(LockHandle::mode).containsOnly(LockMode.SHARED);
		assertThat(handles).extracting(LockHandle::fencingToken).isSorted().doesNotHaveDuplicates();
		assertThat(isDenied(this.one, permits(3))).isTrue();
		assertThat(isDenied(this.two, permits(3))).isTrue();
		assertThat(handles.get(1).release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(this.one, permits(3))).isFalse();
		handles.forEach(LockHandle::release);
		assertThat(isDenied(this.two, exclusive())).isFalse();
	}

	@Test
	void refusalSaysHowManyAreTaken() {
		List<LockHandle> handles = take(2, byHandle(2));
		for (Duration waitFor : List.of(Duration.ZERO, Duration.ofMillis(1))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.one.template().acquire(permits(2).waitFor(waitFor)))
				.withMessageContaining("2 of 2 permits")
				.matches((failure) -> failure.getHolder() == null);
		}
		handles.forEach(LockHandle::release);
		LockHandle writer = this.two.template().acquire(exclusive().ownedByHandle());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.template().acquire(permits(2).waitFor(Duration.ZERO)))
			.withMessageContaining(", held by ")
			.matches((failure) -> failure.getHolder() != null);
		writer.release();
	}

	@Test
	void eachIsLetInWhileFewerThanItsOwnLimitHold() {
		LockHandle first = this.one.template().acquire(byHandle(1));
		assertThat(isDenied(this.two, permits(1))).isTrue();
		LockHandle second = this.two.template().acquire(byHandle(2));
		assertThat(isDenied(this.two, permits(2))).isTrue();
		LockHandle unlimited = this.two.template().acquire(shared().ownedByHandle());
		assertThat(isDenied(this.one, permits(3))).isTrue();
		assertThat(isDenied(this.one, permits(4))).isFalse();
		List.of(first, second, unlimited).forEach(LockHandle::release);
		assertThat(isDenied(this.one, permits(1))).isFalse();
	}

	@Test
	void nobodyOvertakesAFairWaiterWithASmallerLimit() {
		List<LockHandle> handles = take(2, byHandle(3));
		TestInstance askingOnlyWhenWoken = closing(new TestInstance(stores()::open, Duration.ofMinutes(1)));
		CompletableFuture<LockHandle> careful = acquire(askingOnlyWhenWoken, permits(1).fair());
		awaitQueued(this.key, 1);
		assertThat(isDenied(this.one, permits(3))).isTrue();
		assertThat(isDenied(this.two, shared())).isTrue();
		CompletableFuture<LockHandle> later = acquire(askingOnlyWhenWoken, permits(3));
		awaitQueued(this.key, 2);
		handles.forEach(LockHandle::release);
		LockHandle first = Threads.join(careful);
		Threads.join(later).release();
		first.release();
	}

	@Test
	void exclusiveRequestWaitsForAllPermitsAndGoesBeforeLaterOnes() {
		List<LockHandle> handles = take(2, byHandle(3));
		CompletableFuture<LockHandle> writer = acquire(newPatientInstance(), exclusive());
		awaitQueued(this.key, 1);
		CompletableFuture<LockHandle> later = acquire(newPatientInstance(), permits(3));
		awaitQueued(this.key, 2);
		handles.get(0).release();
		assertThat(writer).isNotDone();
		handles.get(1).release();
		LockHandle written = Threads.join(writer);
		assertThat(later).isNotDone();
		assertThat(isDenied(this.one, permits(3))).isTrue();
		written.release();
		Threads.join(later).release();
	}

	@Test
	void threadTakesOnePermitHoweverOftenItAcquires() {
		LockHandle outer = this.one.template().acquire(permits(2));
		LockHandle inner = this.one.template().acquire(oneTry(permits(2)));
		assertThat(inner.holdCount()).isEqualTo(2);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		LockHandle other = this.two.template().acquire(byHandle(2));
		assertThat(isDenied(this.two, permits(2))).isTrue();
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(isDenied(this.two, permits(2))).isTrue();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isDenied(this.two, permits(2))).isFalse();
		other.release();
	}

	@Test
	void permitOfADeadHolderComesBackWhileOthersAreRenewed() {
		LockHandle dying = this.one.template().acquire(byHandle(2).lease(Duration.ofMillis(400)).autoRenew(false));
		LockHandle living = this.two.template().acquire(byHandle(2).lease(Duration.ofSeconds(6)));
		LockHandle next = this.two.template().acquire(byHandle(2));
		assertThat(dying.isHeld()).isFalse();
		await().until(() -> this.two.registry().status().lastRenewal() != null);
		assertThat(living.isHeld()).isTrue();
		assertThat(isDenied(this.one, permits(2))).isTrue();
		living.release();
		next.release();
	}

	@Test
	void waitersGetPermitsInOrderOfArrival() {
		List<LockHandle> handles = take(2, byHandle(2));
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 1; i <= 3; i++) {
			waiters.add(newPatientInstance().template().acquireAsync(permits(2)));
			awaitQueued(this.key, i);
		}
		handles.get(0).release();
		LockHandle first = Threads.join(waiters.get(0));
		assertThat(waiters.get(1)).isNotDone();
		handles.get(1).release();
		LockHandle second = Threads.join(waiters.get(1));
		assertThat(waiters.get(2)).isNotDone();
		first.release();
		Threads.join(waiters.get(2)).release();
		second.release();
	}

	@Test
	void keptPermitLimitsHowManyStartInATime() {
		Duration kept = Duration.ofSeconds(4);
		LockRequest rate = byHandle(2).minHold(kept);
		long start = System.nanoTime();
		take(2, rate).forEach(LockHandle::release);
		assertThat(isDenied(this.one, permits(2))).isTrue();
		this.one.template().acquire(rate).release();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(kept);
	}

	@Test
	void severalKeysHaveEachTheirPermits() {
		LockRequest request = both().permits(2).ownedByHandle();
		LockHandle both = this.one.template().acquire(request);
		LockHandle single = this.two.template().acquire(byHandle(2));
		assertThat(isDenied(this.two, both().permits(2))).isTrue();
		LockHandle otherOnly = this.two.template().acquire(LockRequest.of(other()).permits(2).ownedByHandle());
		single.release();
		otherOnly.release();
		assertThat(isDenied(this.two, both().permits(2))).isFalse();
		both.release();
	}

	@Test
	void operatorsSeeHowManyThereAre() {
		List<LockHandle> handles = take(2, byHandle(5));
		KeyState state = this.one.store().view().look(List.of(this.key)).get(0);
		assertThat(state.permits()).isEqualTo(5);
		assertThat(state.holderCount()).isEqualTo(2);
		handles.forEach(LockHandle::release);
		LockHandle reader = this.one.template().acquire(shared());
		assertThat(this.one.store().view().look(List.of(this.key)).get(0).permits()).isZero();
		reader.release();
	}

}
