package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.test.StallProneTest;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of locks when requests and replies get lost or late.
 */
public abstract class AbstractLockFaultTests extends AbstractNetworkTests {

	private static final String OTHER = "other-";

	private static final String UNRELATED = "unrelated-";

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * Longer than any test waits.
	 */
	private static final Duration SELDOM = Duration.ofMinutes(5);

	/**
	 * A lease that survives what a busy machine does to the watchdog.
	 */
	private static final Duration LONG_ENOUGH = Duration.ofSeconds(2);

	/**
	 * The late release must not find the grant of the next attempt.
	 */
	@Test
	void incompleteGrantIsNotTakenForTheNextOne() {
		AtomicReference<HoldId> first = new AtomicReference<>();
		String owner = this.one.id() + ":" + Thread.currentThread().getId();
		this.network.leaveIncomplete(1);
		this.network.beforeReply(Operation.ACQUIRE,
				() -> first.set(Claims.held(this.two.store(), this.key, owner).get(0)));
		this.network.loseRequests(Operation.RELEASE, 1);
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			this.two.store().release(first.get(), 0);
			assertThat(Claims.held(this.two.store(), this.key, owner))
				.containsExactly(new HoldId(this.key, owner, handle.fencingToken()));
		}
		assertThat(this.two.template().acquire(oneTry()).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void restOfAnIncompleteGrantIsWithdrawn() {
		String last = this.key + "-last";
		this.network.leaveIncomplete(1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(LockRequest.of(this.key, last).waitFor(Duration.ZERO)));
		await().until(this::isFree);
		await().until(() -> this.two.registry()
			.acquire(LockRequest.of(last).waitFor(Duration.ZERO))
			.map(LockHandle::release)
			.isPresent());
	}

	@Test
	void placeInTheQueueThatNobodyWasToldOfIsGivenUp() {
		try (LockHandle held = this.two.template().acquire(this.key)) {
			this.network.loseReplies(Operation.ACQUIRE, Integer.MAX_VALUE);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.one.template().acquire(LockRequest.of(this.key).waitFor(Duration.ofMillis(50))));
			await().until(() -> this.network.calls(Operation.WITHDRAW) > 0);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void lostReplyOfAGrantIsMadeUpForByTheNextTry() {
		this.network.loseReplies(Operation.ACQUIRE, 2);
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.holdCount()).isOne();
			assertThat(this.network.calls(Operation.ACQUIRE)).isEqualTo(3);
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void grantWhoseReplyWasLostIsGivenBackWhenTheCallerHasGivenUp() {
		this.network.loseReplies(Operation.ACQUIRE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining(this.key);
		await().until(this::isFree);
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void requestThatIsCarriedOutAfterTheCallerHasGivenUpIsDenied() {
		this.network.loseRequests(Operation.ACQUIRE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		await().until(() -> this.one.store().acquire(this.network.lastClaim()) instanceof Denied);
		assertThat(isFree()).isTrue();
	}

	@Test
	void givingBackNeverHitsALaterHoldOfTheSameThread() {
		this.network.loseReplies(Operation.ACQUIRE, 1);
		CountDownLatch held = new CountDownLatch(1);
		this.network.beforeRequest(Operation.WITHDRAW, () -> Threads.await(held));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		await().until(() -> this.network.calls(Operation.WITHDRAW) == 1);
		LockHandle handle = this.one.template().acquire(this.key);
		held.countDown();
		await().until(() -> this.network.calls(Operation.WITHDRAW) >= 2);
		assertThat(isFree()).isFalse();
		assertThat(handle.extend(Duration.ofSeconds(31))).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 1_000_000 })
	void freeLockIsGrantedToACallerThatWaitsForLessThanARoundTrip(long nanos) throws InterruptedException {
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(Duration.ofMillis(20)));
		Lock lock = this.one.registry().lock(this.key);
		assertThat(lock.tryLock(nanos, TimeUnit.NANOSECONDS)).isTrue();
		lock.unlock();
		assertThat(this.one.events().notAcquired()).isEmpty();
	}

	@Test
	void grantOfALaterAttemptThatComesTooLateIsGivenBack() {
		LockHandle present = this.two.template().acquire(LockRequest.of(this.key).ownedByHandle());
		CompletableFuture<Boolean> caller = Threads
			.start(() -> this.one.template().tryAcquire(request().waitFor(Duration.ofSeconds(1))).isPresent());
		awaitWaiting(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(Duration.ofSeconds(1)));
		present.release();
		assertThat(Threads.join(caller)).isFalse();
		assertThat(isFree()).isTrue();
		assertThat(this.one.events().notAcquired()).hasSize(1);
		assertThat(this.one.events().acquired()).isEmpty();
	}

	@StallProneTest
	void grantWhoseLeaseRanOutOnTheWayIsGivenBackAndAskedForAgain() {
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(SHORT));
		try (LockHandle handle = this.one.template().acquire(request().lease(Duration.ofMillis(200)))) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.network.calls(Operation.ACQUIRE)).isEqualTo(2);
		}
	}

	@Test
	void releaseThatDoesNotGetThroughIsRepeatedInTheBackground() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 3);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(handle.isHeld()).isFalse();
		await().until(this::isFree);
		assertThat(this.network.calls(Operation.RELEASE)).isEqualTo(4);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void releaseWhoseReplyWasLostIsNoLoss() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseReplies(Operation.RELEASE, 1);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(isFree()).isTrue();
		await().until(() -> this.network.calls(Operation.RELEASE) == 2);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void threadGetsTheLockAgainWhileItsReleaseIsPending() {
		LockHandle first = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 1);
		first.close();
		LockHandle second = this.one.template().acquire(oneTry());
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(second.holdCount()).isOne();
		await().during(Duration.ofMillis(200)).until(second::isHeld);
		assertThat(isFree()).isFalse();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void countThatCouldNotBeReducedDoesNotKeepTheLock() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 1);
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void listenerThatTakesItsTimeDelaysNoOtherLossAndNoRelease() {
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Boolean> told = new CompletableFuture<>();
		String third = "third-" + this.key;
		LockHandle slow = this.one.template().acquire(this.key);
		LockHandle other = this.one.template().acquire(OTHER + this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(OTHER + this.key, third));
		slow.onLost((lock) -> Threads.await(end));
		other.onLost((lock) -> told.complete(true));
		stores().takeAway(this.key);
		stores().takeAway(OTHER + this.key);
		assertThat(slow.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(other.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(Threads.join(told)).isTrue();
		await().until(() -> isFree(LockRequest.of(third)));
		assertThat(joint.isHeld()).isFalse();
		end.countDown();
	}

	@Test
	void listenersThatHangDoNotDelayTheReleaseOfOtherKeys() {
		CountDownLatch hanging = new CountDownLatch(Listeners.MOST_THREADS);
		CountDownLatch end = new CountDownLatch(1);
		String third = "third-" + this.key;
		LockHandle slow = this.one.template().acquire(this.key);
		for (int i = 0; i < Listeners.MOST_THREADS; i++) {
			slow.onLost((lock) -> {
				hanging.countDown();
				Threads.await(end);
			});
		}
		LockHandle other = this.one.template().acquire(OTHER + this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(OTHER + this.key, third));
		takeAway(slow, this.key);
		Threads.await(hanging);
		takeAway(other, OTHER + this.key);
		await().until(() -> isFree(LockRequest.of(third)));
		assertThat(joint.isHeld()).isFalse();
		end.countDown();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waiterThatLeavesWhenItIsWokenPassesThatOn(boolean fair) {
		relyOnWakeUps();
		LockRequest forever = request().lease(SELDOM).waitForever();
		LockHandle present = this.two.template().acquire(forever.ownedByHandle());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<LockHandle> leaver = Threads.start(() -> {
			thread.complete(Thread.currentThread());
			return this.one.template().acquire(fair ? forever.fair() : forever);
		});
		awaitQueued(this.key, 1);
		CompletableFuture<ReleaseResult> next = Threads
			.start(() -> this.two.template().acquire(forever.fair()).release());
		awaitQueued(this.key, 2);
		int before = this.network.calls(Operation.ACQUIRE);
		this.network.loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		present.release();
		await().until(() -> this.network.calls(Operation.ACQUIRE) > before);
		Threads.join(thread).interrupt();
		await().until(next::isDone);
		assertThat(Threads.join(next)).isEqualTo(ReleaseResult.RELEASED);
		assertThat(leaver).isCompletedExceptionally();
	}

	@Test
	void waiterThatIsWokenForOneOfSeveralKeysInVainPassesThatOn() {
		relyOnWakeUps();
		LockRequest forever = request().lease(SELDOM).waitForever();
		LockHandle present = this.two.template().acquire(forever.ownedByHandle());
		LockHandle other = this.two.template().acquire(OTHER + this.key);
		CompletableFuture<ReleaseResult> both = Threads.start(
				() -> this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key).waitForever()).release());
		awaitQueued(this.key, 1);
		CompletableFuture<ReleaseResult> next = Threads
			.start(() -> this.two.template().acquire(forever.fair()).release());
		awaitQueued(this.key, 2);
		present.release();
		await().until(next::isDone);
		assertThat(both).isNotDone();
		other.release();
		assertThat(Threads.join(both)).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Have waiters ask when they are woken, and hardly at all otherwise.
	 */
	private void relyOnWakeUps() {
		AtomicReference<FaultyStore> faulty = new AtomicReference<>();
		this.one = closing(new TestInstance((id) -> {
			faulty.set(new FaultyStore(stores().open(id)));
			return faulty.get();
		}, SELDOM));
		this.network = faulty.get();
		this.two = closing(new TestInstance(stores()::open, SELDOM));
	}

	/**
	 * Wait until so many callers are in the store's queue, and are told when they may try
	 * again.
	 */
	private void awaitQueued(String name, int waiters) {
		await().until(() -> stores().isQueued(name, waiters));
		List.of(this.one, this.two)
			.subList(0, waiters)
			.forEach((instance) -> await()
				.until(() -> instance.store().subscription() == LockStore.Subscription.ACTIVE));
		awaitParked(waiters);
	}

	@Test
	void lockThatIsGoneIsNoticedWhileAnotherThreadWaitsForIt() {
		Duration lease = Duration.ofSeconds(15);
		LockHandle gone = this.one.template()
			.acquire(LockRequest.of(this.key).lease(lease).autoRenew(false).ownedByHandle());
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> this.one.template().acquire(request()).release());
		awaitWaiting(1);
		stores().takeAway(this.key);
		await().atMost(lease.dividedBy(2)).until(waiter::isDone);
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
		assertThat(gone.isHeld()).isFalse();
		assertThat(this.one.events().lost()).hasSize(1);
	}

	@Test
	void nestedAcquisitionGoesOnUntilTheStoreCanBeAsked() {
		try (LockHandle outer = this.one.template().acquire(this.key)) {
			this.network.loseRequests(Operation.REENTER, 2);
			LockHandle inner = this.one.template().acquire(this.key);
			assertThat(this.network.calls(Operation.REENTER)).isEqualTo(3);
			assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void nestedAcquisitionFailsClearlyWhenTheStoreCannotBeAskedInTimeAndTheOuterOneStays() {
		try (LockHandle outer = this.one.template().acquire(this.key)) {
			this.network.loseReplies(Operation.REENTER, Integer.MAX_VALUE);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ofMillis(300))))
				.withMessageContaining("'%s' could not be acquired".formatted(this.key));
			assertThat(this.network.calls(Operation.REENTER)).isGreaterThan(1);
			assertThat(outer.isHeld()).isTrue();
			assertThat(outer.holdCount()).isOne();
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
	}

	@StallProneTest
	void renewalGoesOnAfterFailures() {
		try (LockHandle handle = this.one.template().acquire(request().lease(LONG_ENOUGH))) {
			this.network.loseRequests(Operation.RENEW, 3);
			await().until(() -> this.network.calls(Operation.RENEW) >= 5);
			assertThat(handle.isHeld()).isTrue();
			assertThat(isFree()).isFalse();
		}
		assertThat(this.one.events().lost()).isEmpty();
	}

	@StallProneTest
	void renewalIsNotPutOffByNestedAcquisitionsOfShorterLeases() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG_ENOUGH));
		await().pollInSameThread().pollInterval(LONG_ENOUGH.dividedBy(20)).until(() -> {
			this.one.template().acquire(request().lease(SHORT)).close();
			return this.network.calls(Operation.RENEW) >= 3;
		});
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@StallProneTest
	void renewalGoesOnAfterUnexpectedErrors() {
		try (LockHandle handle = this.one.template().acquire(request().lease(LONG_ENOUGH))) {
			this.network.beforeReply(Operation.RENEW, () -> {
				throw new AssertionError("unexpected");
			});
			await().until(() -> this.network.calls(Operation.RENEW) >= 3);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void lossByFailedRenewalsIsToldWithItsCause() {
		LockHandle handle = this.one.template().acquire(request().lease(SHORT));
		this.network.loseRequests(Operation.RENEW, Integer.MAX_VALUE);
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.havingRootCause()
			.withMessage("lost");
		await().until(this::isFree);
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
	}

	@StallProneTest
	void whatALostHoldHasLeftInTheStoreIsReleasedWhenItsSectionEnds() {
		LockHandle handle = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
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
		LockHandle handle = this.one.template().acquire(request().lease(LONG_ENOUGH));
		await().until(() -> this.network.calls(Operation.RENEW) >= 1);
		handle.close();
		int calls = this.network.calls(Operation.RENEW);
		await().during(LONG_ENOUGH).until(() -> this.network.calls(Operation.RENEW) <= calls + 1);
	}

	@StallProneTest
	void lateReplyToARenewalIsNotBookedOnALaterHold() {
		CountDownLatch reacquired = new CountDownLatch(1);
		CountDownLatch replied = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RENEW, () -> {
			Threads.await(reacquired);
			replied.countDown();
		});
		LockHandle first = this.one.template().acquire(request().lease(LONG_ENOUGH));
		await().until(() -> this.network.calls(Operation.RENEW) == 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle second = this.one.template().acquire(this.key);
		reacquired.countDown();
		Threads.await(replied);
		await().during(SHORT).until(second::isHeld);
		assertThat(this.one.events().lost()).isEmpty();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@StallProneTest
	void leaseCountsFromBeforeTheRequestWasSent() {
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(Duration.ofMillis(600)));
		try (LockHandle handle = this.one.template().acquire(request().lease(Duration.ofSeconds(2)).autoRenew(false))) {
			assertThat(handle.remainingLease()).isLessThanOrEqualTo(Duration.ofMillis(1400));
		}
	}

	@Test
	void waiterThatHasGivenUpDoesNotKeepOthersWaiting() {
		LockHandle handle = this.two.template().acquire(this.key);
		CompletableFuture<Boolean> leaver = Threads
			.start(() -> this.one.template().tryAcquire(request().waitFor(SHORT)).isPresent());
		await().until(() -> this.network.calls(Operation.ACQUIRE) >= 1);
		CompletableFuture<Boolean> stayer = Threads.start(() -> {
			try (LockHandle waited = this.two.template().acquire(request())) {
				return waited.isHeld();
			}
		});
		assertThat(Threads.join(leaver)).isFalse();
		await().until(() -> this.network.calls(Operation.WITHDRAW) == 1);
		handle.close();
		assertThat(Threads.join(stayer)).isTrue();
	}

	@StallProneTest
	void grantGivenBackInVainIsNotTakenForTheNextOne() {
		this.network.beforeRequest(Operation.ACQUIRE, () -> pass(Duration.ofMillis(700)));
		this.network.loseRequests(Operation.RELEASE, 3);
		LockHandle handle = this.one.template().acquire(request().lease(Duration.ofMillis(600)));
		await().during(Duration.ofMillis(300)).until(() -> !isFree());
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waiterGetsTheLockAlthoughTheReleaseBeforeItIsPending() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Long> waiter = Threads.start(() -> {
			try (LockHandle handle = this.one.template().acquire(this.key)) {
				return handle.fencingToken();
			}
		});
		awaitWaiting(1);
		this.network.loseRequests(Operation.TRANSFER, 1);
		this.network.loseRequests(Operation.RELEASE, 5);
		assertThat(first.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(Threads.join(waiter)).isGreaterThan(first.fencingToken());
		await().until(this::isFree);
	}

	@StallProneTest
	void pendingReleaseIsRepeatedForAsLongAsAnExtendedLeaseLasts() {
		LockHandle handle = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		assertThat(handle.extend(Duration.ofMinutes(1))).isTrue();
		this.network.loseRequests(Operation.RELEASE, 5);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		await().until(this::isFree);
		assertThat(this.network.calls(Operation.RELEASE)).isEqualTo(6);
	}

	@StallProneTest
	void holdThatTheStoreHasExtendedUnnoticedIsNotTakenForANewOne() {
		LockHandle outer = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		this.network.loseReplies(Operation.RENEW, 1);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> outer.extend(Duration.ofMinutes(1)));
		await().until(() -> this.one.events().lost().size() == 1);
		pass(SHORT.multipliedBy(2));
		LockHandle inner = this.one.template().acquire(this.key);
		assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
		await().during(Duration.ofMillis(300)).until(() -> !isFree());
		assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@StallProneTest
	void renewalWhoseReplyComesTooLateIsALoss() {
		LockHandle handle = this.one.template().acquire(request().lease(Duration.ofMillis(600)).ownedByHandle());
		CompletableFuture<Boolean> heldBeforeTheReply = new CompletableFuture<>();
		this.network.beforeReply(Operation.RENEW, () -> {
			pass(Duration.ofMillis(700));
			heldBeforeTheReply.complete(handle.isHeld());
		});
		assertThat(Threads.join(heldBeforeTheReply)).isFalse();
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(handle.isHeld()).isFalse();
		assertThat(this.one.registry().held()).isEmpty();
		try (LockHandle next = this.one.template().acquire(this.key)) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@StallProneTest
	void lockIsNeverHeldAgainOnceItsLeaseIsOver() {
		LockHandle handle = this.one.template().acquire(request().lease(Duration.ofMillis(600)));
		CompletableFuture<Boolean> heldBeforeTheReply = new CompletableFuture<>();
		this.network.beforeReply(Operation.RENEW, () -> {
			await().pollInterval(Duration.ofMillis(1)).until(() -> !handle.isHeld());
			heldBeforeTheReply.complete(handle.isHeld());
		});
		assertThat(Threads.join(heldBeforeTheReply)).isFalse();
		await().during(SHORT).until(() -> !handle.isHeld());
		assertThat(this.one.events().lost()).hasSize(1);
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
	void nestedAcquisitionWhoseReplyComesTooLateIsANewOne() {
		LockHandle outer = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		this.network.beforeReply(Operation.REENTER, () -> pass(SHORT.multipliedBy(2)));
		try (LockHandle inner = this.one.template().acquire(this.key)) {
			assertThat(inner.isHeld()).isTrue();
			assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		}
		assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void outageReachesAllWhoWaitInLineAndNotOneAfterTheOther() {
		this.network.loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		LockRequest impatient = request().waitFor(SHORT).ownedByHandle();
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			waiters.add(Threads.start(() -> this.one.template().acquire(impatient)));
		}
		assertThat(waiters).allSatisfy((waiter) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Threads.join(waiter)));
	}

	@StallProneTest
	void manyHoldsAreRenewedInTimeWithFewCalls() {
		Duration lease = Duration.ofSeconds(3);
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			handles.add(this.one.template().acquire(LockRequest.of(this.key + "-" + i).lease(lease)));
		}
		int before = this.network.calls(Operation.RENEW);
		long end = System.nanoTime() + lease.multipliedBy(2).toNanos();
		await().until(() -> System.nanoTime() - end >= 0);
		assertThat(handles).allMatch(LockHandle::isHeld);
		assertThat(this.network.calls(Operation.RENEW) - before).isBetween(10, 200);
		handles.forEach(LockHandle::close);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@StallProneTest
	void noCallRenewsMoreThanAHundredKeysUnlessTheyAreOfOneHold() {
		List<LockHandle> handles = new ArrayList<>();
		for (int keys : new int[] { 40, 40, 40, 40, 40, 150, 40, 40 }) {
			String prefix = this.key + "-" + handles.size() + "-";
			handles.add(this.one.template()
				.acquire(LockRequest.of(IntStream.range(0, keys).mapToObj((i) -> prefix + i).toList())
					.lease(Duration.ofSeconds(3))));
		}
		await().until(() -> this.network.renewedKeys().stream().mapToInt(Integer::intValue).sum() >= 430);
		assertThat(this.network.renewedKeys()).allMatch((keys) -> keys <= 100 || keys == 150);
		assertThat(handles).allMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::release);
	}

	@Test
	void unexpectedErrorAtReleaseNeitherReachesTheCallerNorKeepsTheLock() {
		this.network.beforeRequest(Operation.RELEASE, () -> {
			throw new NoClassDefFoundError("unexpected");
		});
		String result = this.one.template().execute(this.key, (lock) -> "result");
		assertThat(result).isEqualTo("result");
		assertThat(this.one.registry().held()).isEmpty();
		await().until(this::isFree);
	}

	@Test
	void exclusiveLockIsRefusedToWhomBecomesAReaderMeanwhile() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		LockHandle inner = this.one.template().acquire(request().shared());
		CountDownLatch releasing = new CountDownLatch(1);
		CountDownLatch queued = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RELEASE, () -> {
			releasing.countDown();
			Threads.await(queued);
		});
		CompletableFuture<ReleaseResult> first = Threads.start(inner::release);
		Threads.await(releasing);
		CompletableFuture<ReleaseResult> second = Threads.start(writer::release);
		awaitBlockedOnALock(1);
		Threads.start(() -> {
			awaitBlockedOnALock(2);
			queued.countDown();
			return true;
		});
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining("holds the shared one");
		assertThat(Threads.join(first)).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(Threads.join(second)).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(Threads.call(() -> this.two.template().acquire(oneTry().shared()).release()))
			.isEqualTo(ReleaseResult.RELEASED);
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private static void awaitBlockedOnALock(int threads) {
		await().pollInterval(Duration.ofMillis(2))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.map(LockSupport::getBlocker)
				.filter((blocker) -> blocker != null
						&& blocker.getClass().getName().startsWith(ReentrantLock.class.getName()))
				.count() == threads);
	}

	@Test
	void lossesAreToldWhileTheStoreDoesNotAnswerReleases() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		LockHandle unrelated = this.one.template().acquire(UNRELATED + this.key);
		CountDownLatch told = new CountDownLatch(2);
		joint.onLost((handle) -> told.countDown());
		unrelated.onLost((handle) -> told.countDown());
		CountDownLatch answered = new CountDownLatch(1);
		this.network.beforeRequest(Operation.RELEASE, () -> Threads.await(answered));
		takeAway(outer, this.key);
		await().until(() -> this.network.calls(Operation.RELEASE) == 1);
		takeAway(unrelated, UNRELATED + this.key);
		Threads.await(told);
		await().until(() -> this.one.registry().held().isEmpty());
		assertThat(isFree(LockRequest.of(OTHER + this.key))).isFalse();
		answered.countDown();
		await().until(() -> isFree(LockRequest.of(OTHER + this.key)));
		assertThat(this.one.events().lost()).extracting(LockSnapshot::keys)
			.containsExactly(List.of(this.key), List.of(UNRELATED + this.key));
		assertThat(joint.release()).isEqualTo(ReleaseResult.LOST);
	}

	@Test
	void partsSayWhichOfThemWasLost() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		stores().takeAway(OTHER + this.key);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> outer.holdCount() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(joint::ensureHeld)
			.withMessageContaining("'%s%s'", OTHER, this.key)
			.withStackTraceContaining("taken away");
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void keysHeldAlreadyAreGivenUpWhenTheStoreCannotBeAskedForTheOthers() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockRequest both = LockRequest.of(this.key, OTHER + this.key).waitFor(Duration.ofSeconds(30));
		LockHandle blocking = this.two.template().acquire(OTHER + this.key);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			throw new IllegalStateException("unexpected");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.one.template().acquire(both)).withMessage("unexpected");
		assertThat(outer.holdCount()).isOne();
		this.network.loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(both.waitFor(SHORT)));
		assertThat(outer.holdCount()).isOne();
		blocking.release();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(() -> isFree(both));
	}

	@Test
	void countOfWhatIsLeftOfALostPartIsToldTheStoreInTheBackground() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		outer.release();
		this.network.loseRequests(Operation.DOWNGRADE, 2);
		stores().takeAway(OTHER + this.key);
		assertThat(joint.extend(Duration.ofMinutes(1))).isFalse();
		await().until(() -> isFree(request().shared()));
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(3);
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void listenersOfReleasedHandlesAreNotTold() {
		List<String> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		LockHandle joint = this.one.template().acquire(LockRequest.of(this.key, OTHER + this.key));
		inner.onLost((handle) -> told.add("inner"));
		joint.onLost((handle) -> told.add("joint"));
		outer.onLost((handle) -> told.add("outer"));
		inner.release();
		joint.release();
		takeAway(outer, this.key);
		await().until(() -> told.contains("outer"));
		inner.onLost((handle) -> told.add("late"));
		assertThat(told).containsExactly("outer");
	}

	@Test
	void lossThatAReleaseFindsIsToldToTheHandleItself() {
		List<String> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		LockHandle only = this.one.template().acquire(UNRELATED + this.key);
		outer.onLost((handle) -> told.add("outer"));
		inner.onLost((handle) -> told.add("inner"));
		only.onLost((handle) -> told.add("only"));
		stores().takeAway(this.key);
		stores().takeAway(UNRELATED + this.key);
		assertThat(inner.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(only.release()).isEqualTo(ReleaseResult.LOST);
		await().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder("outer", "inner", "only"));
	}

	@Test
	void releaseWhileALossIsBeingToldDoesNotKeepItFromTheHandle() {
		List<LockHandle> told = Collections.synchronizedList(new ArrayList<>());
		LockHandle handle = this.one.template().acquire(this.key);
		handle.onLost(told::add);
		try (HeldUpLog log = new HeldUpLog(Losses.class, this.key)) {
			stores().takeAway(this.key);
			CompletableFuture<Boolean> extension = Threads.start(() -> handle.extend(Duration.ofMinutes(1)));
			log.awaitReached();
			assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
			assertThat(told).isEmpty();
			log.goOn();
			assertThat(Threads.join(extension)).isFalse();
		}
		await().until(() -> this.one.events().lost().size() == 1);
		assertThat(told).containsExactly(handle);
	}

	@Test
	void downgradeThatDoesNotGetThroughIsRepeatedWhileTheLockIsHeld() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		this.network.loseRequests(Operation.DOWNGRADE, 2);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		await().until(() -> isFree(request().shared()));
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(3);
		assertThat(isFree()).isFalse();
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void downgradeWhoseReplyWasLostIsRepeatedInVain() {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		this.network.loseReplies(Operation.DOWNGRADE, 1);
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(isFree(request().shared())).isTrue();
		await().until(() -> this.network.calls(Operation.RELEASE) == 1);
		assertThat(this.network.calls(Operation.DOWNGRADE)).isEqualTo(2);
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void acquisitionUnderWayAtShutdownIsGivenBack() {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(stopped);
		});
		CompletableFuture<LockHandle> acquisition = Threads
			.start(() -> this.one.template().acquire(request().ownedByHandle()));
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		stopped.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

	@Test
	void storeThatHangsDoesNotKeepAShutdownFromEnding() {
		CompletableFuture<String> end = new CompletableFuture<>();
		LockHandle handle = this.one.template().acquire(this.key);
		hangAtRelease(end);
		try {
			Threads.call(() -> {
				this.one.registry().stop(Duration.ZERO);
				return true;
			});
		}
		finally {
			end.complete("the end");
		}
		assertThat(handle.isHeld()).isFalse();
		await().until(this::isFree);
	}

	@StallProneTest
	void locksAreTakenBackAtOnceFromAStoreThatIsSlow() {
		List<String> keys = acquireMany(30);
		this.network.beforeEachRequest(Operation.RELEASE, () -> pass(Duration.ofMillis(700)));
		long begin = System.nanoTime();
		this.one.registry().stop(Duration.ZERO);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
		assertThat(keys).allMatch((name) -> isFree(LockRequest.of(name)));
	}

	@StallProneTest
	void locksAreTakenBackAlthoughTheStoreDoesNotAnswerForOthers() {
		List<String> keys = acquireMany(30);
		CompletableFuture<String> end = new CompletableFuture<>();
		AtomicInteger hanging = new AtomicInteger(20);
		this.network.beforeEachRequest(Operation.RELEASE, () -> {
			if (hanging.getAndDecrement() > 0) {
				end.join();
			}
		});
		try {
			this.one.registry().stop(Duration.ZERO);
			assertThat(keys).filteredOn((name) -> isFree(LockRequest.of(name))).hasSize(10);
		}
		finally {
			end.complete("the end");
		}
		await().until(() -> keys.stream().allMatch((name) -> isFree(LockRequest.of(name))));
	}

	@StallProneTest
	void locksAreTakenBackOnceAlthoughThatFailsForOne() {
		List<String> keys = acquireMany(200);
		this.network.loseRequests(Operation.RELEASE, 1);
		this.one.registry().stop(Duration.ZERO);
		assertThat(this.network.calls(Operation.RELEASE)).isEqualTo(200);
		assertThat(keys).filteredOn((name) -> isFree(LockRequest.of(name))).hasSize(199);
	}

	private List<String> acquireMany(int count) {
		List<String> keys = IntStream.range(0, count).mapToObj((i) -> this.key + "-" + i).toList();
		keys.forEach((name) -> this.one.template().acquire(name));
		return keys;
	}

	@Test
	void grantThatIsInDoubtWhileLocksAreTakenBackIsGivenBackToo() {
		this.one.template().acquire(LockRequest.of(OTHER + this.key).ownedByHandle());
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch takingBack = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(takingBack);
			throw new LockStoreException("lost", null, true);
		});
		this.network.loseRequests(Operation.WITHDRAW, 1);
		this.network.beforeRequest(Operation.RELEASE, () -> {
			takingBack.countDown();
			await().pollInterval(Duration.ofMillis(1)).until(() -> this.network.calls(Operation.WITHDRAW) == 1);
		});
		CompletableFuture<LockHandle> acquisition = Threads.start(() -> this.one.template().acquire(oneTry()));
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		assertThat(isFree()).isTrue();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
	}

	private void hangAtRelease(CompletableFuture<String> end) {
		this.network.beforeRequest(Operation.RELEASE, () -> {
			hangAtRelease(end);
			end.join();
		});
	}

	@Test
	void lossesAreToldBeforeAShutdownEnds() {
		List<String> told = new CopyOnWriteArrayList<>();
		for (String name : List.of("a", "b", "c")) {
			this.one.template().acquire(LockRequest.of(this.key + name).ownedByHandle()).onLost((lost) -> {
				pass(Duration.ofMillis(150));
				told.add(name);
			});
		}
		this.one.registry().stop(Duration.ZERO);
		assertThat(told).containsExactlyInAnyOrder("a", "b", "c");
	}

	@Test
	void placesInQueuesAreGivenUpBeforeAShutdownEnds() {
		LockHandle handle = this.two.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = Threads.start(() -> this.one.template().acquire(this.key));
		awaitWaiting(1);
		AtomicBoolean left = new AtomicBoolean();
		this.network.beforeReply(Operation.WITHDRAW, () -> {
			pass(Duration.ofMillis(200));
			left.set(true);
		});
		this.one.registry().stop(Duration.ZERO);
		assertThat(left).isTrue();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(waiter));
		handle.close();
	}

	@Test
	void denialUnderWayAtShutdownDoesNotOpenTheSubscriptionAgain() {
		LockHandle handle = this.two.template().acquire(this.key);
		CountDownLatch denied = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			denied.countDown();
			Threads.await(stopped);
		});
		CompletableFuture<LockHandle> acquisition = Threads.start(() -> this.one.template().acquire(this.key));
		Threads.await(denied);
		this.one.registry().stop(Duration.ZERO);
		stopped.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.store().subscription()).isEqualTo(LockStore.Subscription.IDLE);
		handle.close();
	}

	/**
	 * Take a lock away and have its holder find out.
	 */
	private void takeAway(LockHandle handle, String name) {
		stores().takeAway(name);
		assertThat(handle.extend(Duration.ofMinutes(1))).isFalse();
	}

	/**
	 * Let time pass, as a slow network does.
	 */
	private static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().pollInterval(Duration.ofMillis(10)).until(() -> System.nanoTime() - end >= 0);
	}

}
