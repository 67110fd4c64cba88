package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Requests and replies for locks that get lost or late while they are acquired.
 */
public abstract class AbstractAcquireFaultTests extends AbstractNetworkTests {

	private static final String OTHER = "other-";

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * Longer than any test waits.
	 */
	private static final Duration SELDOM = Duration.ofMinutes(5);

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

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
			this.two.store().release(first.get());
			assertThat(Claims.held(this.two.store(), this.key, owner))
				.containsExactly(new HoldId(this.key, owner, handle.fencingToken()));
		}
		assertThat(this.two.template().acquire(oneTry()).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void restOfAnIncompleteGrantIsWithdrawn() {
		String last = this.key + "-last";
		this.network.leaveIncomplete(2);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(LockRequest.of(this.key, last).waitFor(Duration.ZERO)));
		await().until(this::isFree);
		await().atMost(Duration.ofSeconds(10))
			.until(() -> this.two.registry()
				.tryAcquire(LockRequest.of(last).waitFor(Duration.ZERO))
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
		this.network.loseReplies(Operation.ACQUIRE, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining(this.key);
		await().until(this::isFree);
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void singleTryOverAUselessConnectionIsMadeAgain() {
		this.network.beforeRequest(Operation.ACQUIRE, () -> {
			pass(Duration.ofMillis(50));
			throw new LockStoreException("closed", null, true, true);
		});
		try (LockHandle handle = this.one.template().acquire(oneTry())) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.network.calls(Operation.ACQUIRE)).isEqualTo(2);
		}
	}

	@Test
	void singleTryWithoutAnAnswerIsNotMadeAgain() {
		this.network.beforeEachRequest(Operation.ACQUIRE, () -> {
			pass(Duration.ofMillis(50));
			throw new LockStoreException("no answer", null, true);
		});
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		assertThat(this.network.calls(Operation.ACQUIRE)).isOne();
	}

	@Test
	void requestThatIsCarriedOutAfterTheCallerHasGivenUpIsDenied() {
		this.network.loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		this.network.loseRequests(Operation.ACQUIRE, 0);
		await().until(() -> this.one.store().acquire(this.network.lastClaim()) instanceof Denied);
		assertThat(isFree()).isTrue();
	}

	/**
	 * As by a server that was frozen until then.
	 */
	@Test
	void requestThatIsCarriedOutAfterItsLeaseIsUndone() {
		this.network.delayRequest(Operation.ACQUIRE, () -> pass(Duration.ofMillis(50)));
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry().lease(LONG)));
		pass(LONG);
		this.network.carryOutDelayed();
		assertThat(isFree()).isFalse();
		this.network.loseRequests(Operation.WITHDRAW, 0);
		await().atMost(LONG.multipliedBy(5).dividedBy(6)).until(this::isFree);
	}

	@Test
	void singleTryBehindAReleaseWithoutAnAnswerDoesNotWaitForAnother() {
		LockHandle before = this.one.template().acquire(this.key);
		this.network.beforeEachRequest(Operation.RELEASE, () -> {
			pass(Duration.ofMillis(50));
			throw new LockStoreException("no answer", null, true);
		});
		assertThat(before.release()).isEqualTo(ReleaseResult.PENDING);
		int asked = this.network.calls(Operation.ACQUIRE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		assertThat(this.network.calls(Operation.ACQUIRE)).isEqualTo(asked);
		this.network.loseRequests(Operation.RELEASE, 0);
		assertThat(this.one.template().acquire(this.key).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void singleTryBehindAReleaseOverAUselessConnectionSendsItAgain() {
		LockHandle before = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 2);
		assertThat(before.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(this.one.template().acquire(oneTry()).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void requestThatFailsAfterTheShutdownIsForgottenWithItsLease() {
		CountDownLatch closed = new CountDownLatch(1);
		this.network.delayRequest(Operation.ACQUIRE, () -> Threads.await(closed));
		CompletableFuture<LockHandle> caller = Threads
			.start(() -> this.one.template().acquire(oneTry().lease(LONG).waitFor(SELDOM)));
		await().until(() -> this.network.calls(Operation.ACQUIRE) == 1);
		this.one.registry().close();
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		closed.countDown();
		assertThatThrownBy(() -> Threads.join(caller)).isInstanceOf(LockUnavailableException.class);
		// Its place lasts longer than its lease
		pass(HoldfastLockRegistry.POLL.multipliedBy(2 * QueuePlace.MOST_TIMES));
		int calls = this.network.calls(Operation.WITHDRAW);
		assertThat(calls).isPositive();
		await().during(LONG).until(() -> this.network.calls(Operation.WITHDRAW) == calls);
	}

	/**
	 * One far behind lasts for ten times as long as the first.
	 */
	@Test
	void placeIsGivenUpForAsLongAsItMayLast() {
		LockHandle holder = this.two.template().acquire(this.key);
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.template().acquire(request().lease(SHORT).waitFor(SHORT)));
		pass(HoldfastLockRegistry.POLL.multipliedBy(2));
		int calls = this.network.calls(Operation.WITHDRAW);
		await().until(() -> this.network.calls(Operation.WITHDRAW) > calls);
		holder.release();
	}

	@Test
	void givingBackNeverHitsALaterHoldOfTheSameThread() {
		this.network.loseReplies(Operation.ACQUIRE, Integer.MAX_VALUE);
		CountDownLatch held = new CountDownLatch(1);
		this.network.beforeRequest(Operation.WITHDRAW, () -> Threads.await(held));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()));
		this.network.loseReplies(Operation.ACQUIRE, 0);
		await().until(() -> this.network.calls(Operation.WITHDRAW) == 1);
		LockHandle handle = this.one.template().acquire(this.key);
		held.countDown();
		await().until(() -> this.network.carriedOut(Operation.WITHDRAW) >= 2);
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
		this.network.around(Operation.ACQUIRE, present::release, () -> pass(Duration.ofSeconds(1)));
		assertThat(Threads.join(caller)).isFalse();
		await().until(this::isFree);
		assertThat(this.one.events().notAcquired()).hasSize(1);
		assertThat(this.one.events().acquired()).isEmpty();
	}

	@Test
	void grantWhoseLeaseRanOutOnTheWayIsGivenBackAndAskedForAgain() {
		AtomicReference<HoldId> late = new AtomicReference<>();
		String owner = this.one.id() + ":" + Thread.currentThread().getId();
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			late.set(Claims.held(this.two.store(), this.key, owner).get(0));
			pass(LONG);
		});
		try (LockHandle handle = this.one.template().acquire(request().lease(LONG))) {
			assertThat(handle.fencingToken()).isGreaterThan(late.get().grants().get(0).token());
			assertThat(this.network.calls(Operation.ACQUIRE)).isEqualTo(2);
		}
	}

	/**
	 * No caller has held it, so it must not be told that the lock is not free.
	 */
	@Test
	void singleTryIsMadeAgainOrFailsIfItsGrantTakesLongerThanItsLease() {
		LockRequest request = request().lease(LONG).waitFor(Duration.ZERO);
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(LONG));
		this.one.template().tryAcquire(request).orElseThrow().release();
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			pass(LONG);
			this.network.beforeReply(Operation.ACQUIRE, () -> pass(LONG));
		});
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().tryAcquire(request))
			.withMessageContaining("longer than its lease of " + LONG.toMillis() + " ms");
		await().until(this::isFree);
	}

	@Test
	void singleTryBehindAnotherCallerThatIsNotAnsweredYetSaysSo() {
		AtomicReference<LockNotAcquiredException> refused = new AtomicReference<>();
		this.network.beforeRequest(Operation.ACQUIRE,
				() -> refused.set(Threads.call(() -> catchThrowableOfType(LockNotAcquiredException.class,
						() -> this.one.template().acquire(request().waitFor(Duration.ZERO))))));
		this.one.template().acquire(request()).release();
		assertThat(refused.get())
			.hasMessage("Lock '%s' is not free (tried once), another caller of this instance asks for it", this.key);
	}

	@Test
	void grantGivenBackInVainIsNotTakenForTheNextOne() {
		this.network.beforeRequest(Operation.ACQUIRE, () -> pass(LONG));
		this.network.loseRequests(Operation.RELEASE, 3);
		LockHandle handle = this.one.template().acquire(request().lease(LONG));
		await().during(Duration.ofMillis(300)).until(() -> !isFree());
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void leaseCountsFromBeforeTheRequestWasSent() {
		Duration lease = Duration.ofSeconds(60);
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(SHORT));
		try (LockHandle handle = this.one.template().acquire(request().lease(lease).autoRenew(false))) {
			assertThat(handle.remainingLease()).isLessThanOrEqualTo(lease.minus(SHORT));
		}
	}

	@Test
	void nestedAcquisitionGoesOnUntilTheStoreCanBeAsked() {
		try (LockHandle outer = this.one.template().acquire(this.key)) {
			this.network.loseRequests(Operation.COUNT, 2);
			LockHandle inner = this.one.template().acquire(this.key);
			assertThat(this.network.calls(Operation.COUNT)).isEqualTo(3);
			assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void nestedAcquisitionFailsClearlyWhenTheStoreCannotBeAskedInTimeAndTheOuterOneStays() {
		try (LockHandle outer = this.one.template().acquire(this.key)) {
			this.network.loseReplies(Operation.COUNT, Integer.MAX_VALUE);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ofMillis(300))))
				.withMessageContaining("'%s' could not be acquired".formatted(this.key));
			assertThat(this.network.calls(Operation.COUNT)).isGreaterThan(1);
			assertThat(outer.isHeld()).isTrue();
			assertThat(outer.holdCount()).isOne();
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void nestedAcquisitionWhoseReplyComesTooLateIsANewOne() {
		LockHandle outer = this.one.template().acquire(request().lease(SHORT).autoRenew(false));
		this.network.beforeReply(Operation.COUNT, () -> pass(SHORT.multipliedBy(2)));
		try (LockHandle inner = this.one.template().acquire(this.key)) {
			assertThat(inner.isHeld()).isTrue();
			assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
		}
		assertThat(outer.release()).isEqualTo(ReleaseResult.LOST);
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

	/**
	 * What it has given up is not in the way of its next request for the same key in
	 * another way.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void callerThatHasGivenUpIsNotRefusedForItsOldPlace(boolean fair) {
		LockHandle present = this.two.template().acquire(this.key);
		Thread caller = Thread.currentThread();
		this.network.beforeEachRequest(Operation.WITHDRAW, () -> {
			if (Thread.currentThread() != caller) {
				throw new LockStoreException("lost", new IllegalStateException(), true);
			}
		});
		LockRequest brief = request().waitFor(Duration.ofMillis(50));
		assertThat(this.one.template().tryAcquire(fair ? brief.fair() : brief)).isEmpty();
		present.release();
		LockRequest next = fair ? oneTry() : oneTry().shared();
		assertThat(this.one.template().tryAcquire(next)).map(LockHandle::release).contains(ReleaseResult.RELEASED);
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
		await().until(leaver::isCompletedExceptionally);
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

}
