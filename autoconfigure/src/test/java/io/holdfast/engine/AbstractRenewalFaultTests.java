package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Renewals that get lost or late, and what is lost by that.
 */
public abstract class AbstractRenewalFaultTests extends AbstractNetworkTests {

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

	/**
	 * A lease that is renewed in time, on a machine that stands still for a moment.
	 */
	private static final Duration RENEWED = Duration.ofSeconds(6);

	@Test
	void renewalGoesOnAfterFailures() {
		try (LockHandle handle = this.one.template().acquire(request().lease(RENEWED))) {
			this.network.loseRequests(Operation.RENEW, 4);
			awaitRenewal();
			assertThat(this.network.calls(Operation.RENEW)).isGreaterThanOrEqualTo(5);
			assertThat(handle.isHeld()).isTrue();
			assertThat(isFree()).isFalse();
		}
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void renewalOverAUselessConnectionIsMadeAgain() {
		try (LockHandle handle = this.one.template().acquire(request().lease(RENEWED))) {
			this.network.loseRequests(Operation.RENEW, 1);
			awaitRenewal();
			assertThat(this.network.calls(Operation.RENEW)).isEqualTo(2);
			assertThat(this.one.notRenewed()).isZero();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void nestedSingleTryOverAUselessConnectionIsMadeAgain() {
		Lock lock = this.one.registry().lock(this.key);
		lock.lock();
		this.network.loseRequests(Operation.COUNT, 1);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		lock.unlock();
		assertThat(isFree()).isTrue();
	}

	/**
	 * A hold without renewal is looked up while others wait for it.
	 */
	@Test
	void onlyRenewalsAreCounted() {
		this.network.loseRequests(Operation.RENEW, 2);
		LockHandle limited = this.one.template().acquire(request().lease(RENEWED.multipliedBy(2)).autoRenew(false));
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> this.one.template().acquire(request().lease(RENEWED).ownedByHandle()));
		await().until(() -> this.network.calls(Operation.RENEW) >= 4);
		assertThat(renewed()).isZero();
		assertThat(this.one.notRenewed()).isZero();
		assertThat(limited.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle handle = Threads.join(waiter);
		await().until(() -> renewed() > 0);
		assertThat(this.one.registry().status().lastRenewal()).isNotNull();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private long renewed() {
		return this.one.renewed();
	}

	@Test
	void renewalIsNotPutOffByNestedAcquisitionsOfShorterLeases() {
		LockHandle handle = this.one.template().acquire(request().lease(RENEWED));
		await().pollInSameThread().pollInterval(SHORT.dividedBy(3)).until(() -> {
			this.one.template().acquire(request().lease(SHORT)).close();
			return this.network.calls(Operation.RENEW) >= 1;
		});
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.one.events().lost()).isEmpty();
	}

	private void awaitRenewal() {
		await().until(() -> this.one.registry().status().lastRenewal() != null);
	}

	@Test
	void lossByFailedRenewalsIsToldWithItsCause() {
		LockHandle handle = this.one.template().acquire(request().lease(Duration.ofSeconds(5)));
		this.network.loseRequests(Operation.RENEW, Integer.MAX_VALUE);
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.withMessageContaining("its lease ran out; it could not be renewed: ")
			.havingRootCause()
			.withMessage("lost");
		await().until(this::isFree);
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void whatALostHoldHasLeftInTheStoreIsReleasedWhenItsSectionEnds() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		LockStore.HoldId hold = new LockStore.HoldId(this.key, this.one.registry().held().iterator().next().owner(),
				handle.fencingToken());
		this.two.store().renew(List.of(new LockStore.Renewal(hold, Duration.ofMinutes(1))));
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(isFree()).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		await().until(this::isFree);
	}

	@Test
	void renewalsStopAtRelease() {
		LockHandle handle = this.one.template().acquire(request().lease(RENEWED));
		await().until(() -> this.network.calls(Operation.RENEW) >= 1);
		handle.close();
		int calls = this.network.calls(Operation.RENEW);
		await().during(RENEWED).until(() -> this.network.calls(Operation.RENEW) <= calls + 1);
	}

	@Test
	void lateReplyToARenewalIsNotBookedOnALaterHold() {
		CountDownLatch reacquired = new CountDownLatch(1);
		CountDownLatch replied = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RENEW, () -> {
			Threads.await(reacquired);
			replied.countDown();
		});
		LockHandle first = this.one.template().acquire(request().lease(RENEWED));
		await().until(() -> this.network.calls(Operation.RENEW) == 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle second = this.one.template().acquire(this.key);
		reacquired.countDown();
		Threads.await(replied);
		await().during(SHORT).until(second::isHeld);
		assertThat(this.one.events().lost()).isEmpty();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void holdThatTheStoreHasExtendedUnnoticedIsNotTakenForANewOne() {
		LockHandle outer = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		this.network.loseReplies(Operation.RENEW, 2);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> outer.extend(Duration.ofMinutes(1)));
		await().until(() -> this.one.events().lost().size() == 1);
		LockHandle inner = this.one.template().acquire(this.key);
		assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
		await().during(Duration.ofMillis(300)).until(() -> !isFree());
		assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Begin to hold a lock that the store has for longer than is known here.
	 */
	private LockHandle holdTooLong(LockRequest request) {
		LockHandle handle = this.one.registry().acquireOrThrow(request.lease(LONG).autoRenew(false));
		this.network.loseReplies(Operation.RENEW, 2);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> handle.extend(Duration.ofMinutes(10)));
		return handle;
	}

	private void awaitLosses(int losses) {
		await().until(() -> this.one.events().lost().size() == losses);
	}

	@Test
	void threadGetsWhatItHasLostInASingleTry() {
		LockHandle first = holdTooLong(request());
		LockHandle shared = holdTooLong(LockRequest.of("shared-" + this.key).shared());
		LockHandle several = holdTooLong(LockRequest.of("a-" + this.key, "b-" + this.key));
		LockHandle viewed = holdTooLong(LockRequest.of("viewed-" + this.key));
		awaitLosses(4);
		List<LockHandle> again = Stream
			.of(request(), LockRequest.of("shared-" + this.key), LockRequest.of("b-" + this.key, "c-" + this.key),
					LockRequest.of("a-" + this.key).shared().fair())
			.map((request) -> this.one.registry().tryAcquire(request.waitFor(Duration.ZERO)).orElseThrow())
			.toList();
		Lock view = this.one.registry().lock("viewed-" + this.key);
		assertThat(view.tryLock()).isTrue();
		assertThat(again.get(0).fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(List.of(first, shared, several, viewed)).extracting(LockHandle::release)
			.containsOnly(ReleaseResult.LOST);
		assertThat(again).allMatch(LockHandle::isHeld);
		assertThat(isFree()).isFalse();
		assertThat(again).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		view.unlock();
		assertThat(isFree()).isTrue();
	}

	@Test
	void releaseOfALostLockThatIsUnderWayDoesNotTouchTheNextHold() {
		LockHandle lost = holdTooLong(request());
		awaitLosses(1);
		CountDownLatch acquired = new CountDownLatch(1);
		CountDownLatch sent = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RELEASE, () -> {
			sent.countDown();
			Threads.await(acquired);
		});
		assertThat(Threads.call(lost::release)).isEqualTo(ReleaseResult.LOST);
		Threads.await(sent);
		LockHandle next = this.one.registry().tryAcquire(oneTry()).orElseThrow();
		acquired.countDown();
		await().until(() -> this.network.carriedOut(Operation.RELEASE) == 2);
		assertThat(next.isHeld()).isTrue();
		assertThat(isFree()).isFalse();
		assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waiterThatGoesFirstGetsWhatAThreadAsksForThatHasLostIt() {
		LockHandle lost = holdTooLong(request());
		String own = this.one.registry().held().iterator().next().owner();
		TestInstance other = closing(new TestInstance((id) -> stores().open(id), LONG.multipliedBy(10)));
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> other.template().acquire(request().fair().ownedByHandle()));
		await().until(() -> other.registry().status().waiting() == 1);
		awaitLosses(1);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.registry().acquireOrThrow(oneTry()))
			.satisfies((ex) -> assertThat(ex.getHolder()).isNotEqualTo(own));
		assertThat(lost.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waiterOfTheInstanceGetsWhatAThreadAsksForThatHasLostIt() {
		LockHandle lost = holdTooLong(request());
		String own = this.one.registry().held().iterator().next().owner();
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> this.one.template().acquire(request().ownedByHandle()));
		this.network.loseRequests(Operation.RENEW, Integer.MAX_VALUE);
		awaitLosses(1);
		await().until(() -> this.network.carriedOut(Operation.ACQUIRE) >= 2);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.registry().acquireOrThrow(oneTry()))
			.satisfies((ex) -> assertThat(ex.getHolder()).isNotEqualTo(own));
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(lost.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void requestOfAHandleLeavesWhatItsThreadHasLost() {
		LockHandle lost = holdTooLong(request());
		awaitLosses(1);
		assertThat(this.one.registry().tryAcquire(oneTry().ownedByHandle())).isEmpty();
		assertThat(lost.release()).isEqualTo(ReleaseResult.LOST);
		await().until(this::isFree);
	}

	@Test
	void lockIsNeverHeldAgainOnceItsLeaseIsOverAlthoughTheStoreHasRenewedIt() {
		LockHandle handle = this.one.template().acquire(request().lease(RENEWED).ownedByHandle());
		CompletableFuture<Boolean> heldBeforeTheReply = new CompletableFuture<>();
		this.network.beforeReply(Operation.RENEW, () -> {
			await().pollInterval(Duration.ofMillis(1)).until(() -> !handle.isHeld());
			heldBeforeTheReply.complete(handle.isHeld());
		});
		assertThat(Threads.join(heldBeforeTheReply)).isFalse();
		await().during(SHORT).until(() -> !handle.isHeld());
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(this.one.registry().held()).isEmpty();
		try (LockHandle next = this.one.template().acquire(this.key)) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void lossIsToldInTimeWhileARenewalIsStuck() {
		CountDownLatch stuck = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RENEW, () -> Threads.await(stuck));
		LockHandle handle = this.one.template().acquire(request().lease(SHORT));
		await().until(() -> this.one.events().lost().size() == 1);
		stuck.countDown();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(this.one.events().lost()).hasSize(1);
	}

	@Test
	void noCallRenewsMoreKeysThanAreSentAtOnceUnlessTheyAreOfOneHold() {
		List<LockHandle> handles = new ArrayList<>();
		for (int keys : new int[] { 40, 40, 40, 40, 40, 150, 40, 40 }) {
			String prefix = this.key + "-" + handles.size() + "-";
			handles.add(this.one.template()
				.acquire(LockRequest.of(IntStream.range(0, keys).mapToObj((i) -> prefix + i).toList()).lease(RENEWED)));
		}
		await().until(() -> renewedKeys() >= 430);
		assertThat(this.network.renewedKeys()).allMatch((keys) -> keys <= 128 || keys == 150);
		assertThat(handles).allMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::release);
	}

	private int renewedKeys() {
		return this.network.renewedKeys().stream().mapToInt(Integer::intValue).sum();
	}

}
