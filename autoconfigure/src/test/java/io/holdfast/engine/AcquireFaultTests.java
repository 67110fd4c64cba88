package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Requests and replies for locks that get lost or late while they are acquired.
 */
@Tag("slow")
class AcquireFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final String OTHER = "other-";

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
	void grantWhoseReplyWasLostIsGivenBackWhenTheCallerHasGivenUp() {
		this.network.loseReplies(Operation.ACQUIRE, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining(this.key);
		await().until(this::isFree);
		assertThat(this.one.registry().held()).isEmpty();
	}

	/**
	 * Unless the machine stands still before it is found to be useless; then it is tried
	 * again.
	 */
	@Test
	void singleTryOverAUselessConnectionIsMadeAgain() {
		await().ignoreException(LockUnavailableException.class).until(() -> {
			this.network.beforeRequest(Operation.ACQUIRE, () -> {
				pass(Duration.ofMillis(50));
				throw new LockStoreException("closed", null, true, true);
			});
			return this.one.template().acquire(oneTry()).release() == ReleaseResult.RELEASED;
		});
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

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 1_000_000 })
	void freeLockIsGrantedToACallerThatWaitsForLessThanARoundTrip(long nanos) throws InterruptedException {
		this.network.beforeReply(Operation.ACQUIRE, () -> pass(Duration.ofMillis(20)));
		Lock lock = this.one.registry().lock(this.key);
		assertThat(lock.tryLock(nanos, TimeUnit.NANOSECONDS)).isTrue();
		lock.unlock();
		assertThat(this.one.events().notAcquired()).isEmpty();
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
	void nestedAcquisitionFailsClearlyWhenTheStoreCannotBeAskedInTimeAndTheOuterOneStays() {
		try (LockHandle outer = this.one.template().acquire(this.key)) {
			this.network.loseReplies(Operation.COUNT, Integer.MAX_VALUE);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ofMillis(300))))
				.withMessageContaining("'%s' could not be acquired".formatted(this.key));
			assertThat(outer.isHeld()).isTrue();
			assertThat(outer.holdCount()).isOne();
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(isFree()).isTrue();
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

	/**
	 * Four threads ask one server for asynchronous callers.
	 */
	@Test
	void asynchronousWaitersLeaveWhileTheThreadsThatAskAreBusy() {
		CountDownLatch busy = new CountDownLatch(4);
		CountDownLatch end = new CountDownLatch(1);
		LockHandle blocking = this.one.template().acquire(request().ownedByHandle());
		CompletableFuture<LockHandle> waiter = this.one.registry().acquireAsync(request().waitFor(LONG));
		CompletableFuture<LockHandle> cancelled = this.one.registry().acquireAsync(request());
		await().until(() -> this.one.registry().status().waiting() == 2);
		this.network.beforeEachRequest(Operation.ACQUIRE, () -> {
			busy.countDown();
			Threads.await(end);
		});
		List<CompletableFuture<LockHandle>> others = IntStream.range(0, 4)
			.mapToObj((i) -> this.one.registry().acquireAsync(LockRequest.of(OTHER + i + this.key)))
			.toList();
		Threads.await(busy);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(waiter));
		cancelled.cancel(true);
		await().until(() -> this.one.registry().status().waiting() == 0);
		end.countDown();
		blocking.release();
		others.forEach((other) -> Threads.join(other).release());
	}

	@Test
	void grantOfALaterAttemptThatComesTooLateIsGivenBack() {
		LockHandle present = this.two.template().acquire(request().ownedByHandle());
		CompletableFuture<Boolean> caller = Threads
			.start(() -> this.one.template().tryAcquire(request().waitFor(LONG)).isPresent());
		awaitWaiting(1);
		this.network.around(Operation.ACQUIRE, present::release, () -> pass(LONG));
		assertThat(Threads.join(caller)).isFalse();
		present.release();
		await().until(this::isFree);
		assertThat(this.one.events().acquired()).isEmpty();
	}

	/**
	 * Its claim has ended by then, but the withdrawal has not come yet.
	 */
	@Test
	void requestThatIsCarriedOutAfterTheReleaseLeavesNoPlace() {
		CountDownLatch carriedOut = new CountDownLatch(1);
		CompletableFuture<Boolean> placeGone = new CompletableFuture<>();
		this.network.delayRequest(Operation.ACQUIRE, FaultyStore::nothing);
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.around(Operation.WITHDRAW, () -> Threads.await(carriedOut),
				() -> placeGone.complete(stores.isQueued(this.key, 0)));
		handle.release();
		LockHandle next = this.two.template().acquire(this.key);
		this.network.carryOutDelayed();
		carriedOut.countDown();
		assertThat(Threads.join(placeGone)).isTrue();
		next.release();
	}

	/**
	 * As by a server that was frozen until then.
	 */
	@Test
	void requestThatIsCarriedOutAfterItsLeaseIsUndone() {
		Duration lease = LONG.multipliedBy(2);
		this.network.delayRequest(Operation.ACQUIRE, () -> pass(Duration.ofMillis(50)));
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry().lease(lease)));
		pass(lease);
		this.network.carryOutDelayed();
		assertThat(isFree()).isFalse();
		this.network.loseRequests(Operation.WITHDRAW, 0);
		await().atMost(lease.multipliedBy(5).dividedBy(6)).until(this::isFree);
	}

	@Test
	void outageReachesAllWhoWaitInLineAndNotOneAfterTheOther() {
		this.network.loseRequests(Operation.ACQUIRE, Integer.MAX_VALUE);
		LockRequest impatient = request().waitFor(Duration.ofMillis(300)).ownedByHandle();
		List<CompletableFuture<LockHandle>> waiters = Stream.generate(() -> acquire(this.one, impatient))
			.limit(4)
			.toList();
		assertThat(waiters).allSatisfy((waiter) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Threads.join(waiter)));
	}

}
