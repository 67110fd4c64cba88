package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Callers beside one that gives up.
 */
class LeavingWaiterTests {

	private static final LockRequest KEY = LockRequest.of("key").ownedByHandle();

	/**
	 * How many threads ask one server for asynchronous callers.
	 */
	private static final int STORE_THREADS = 4;

	private static final Duration BRIEFLY = Duration.ofMillis(100);

	private final LocalLocks locks = new LocalLocks();

	/**
	 * The waiter has left the line, which still has its place in the queue.
	 */
	@Test
	void freeLockIsGrantedWhileTheLastWaiterLeaves() {
		CompletableFuture<Optional<LockHandle>> triedMeanwhile = new CompletableFuture<>();
		CompletableFuture<TestInstance> self = new CompletableFuture<>();
		try (TestInstance other = new TestInstance((id) -> new LocalLockStore(this.locks))) {
			LockHandle blocking = other.template().acquire(KEY);
			AtomicBoolean left = new AtomicBoolean();
			EngineListener events = new EngineListener() {

				@Override
				public void answered(Waiter waiter) {
					if (left.compareAndSet(false, true)) {
						blocking.release();
						LockRequest oneTry = KEY.waitFor(Duration.ZERO);
						triedMeanwhile
							.complete(Threads.join(Threads.start(() -> self.join().template().tryAcquire(oneTry))));
					}
				}

			};
			try (TestInstance one = new TestInstance((id) -> new LocalLockStore(this.locks), events)) {
				self.complete(one);
				assertThat(one.template().tryAcquire(KEY.waitFor(BRIEFLY))).isEmpty();
				assertThat(triedMeanwhile.join()).isPresent();
			}
		}
	}

	/**
	 * The waiter has left the line, which was handed the lock for it.
	 */
	@Test
	void lockThatWasHandedToALateWaiterIsGrantedWhileItLeaves() {
		CompletableFuture<Optional<LockHandle>> triedMeanwhile = new CompletableFuture<>();
		CompletableFuture<TestInstance> self = new CompletableFuture<>();
		CompletableFuture<LockHandle> blocking = new CompletableFuture<>();
		EngineListener events = new EngineListener() {

			private boolean late;

			@Override
			public void waiting(Waiter waiter) {
				blocking.join().release();
				await().until(() -> waiter.snapshot().waited().compareTo(BRIEFLY) > 0);
				this.late = true;
			}

			@Override
			public void answered(Waiter waiter) {
				if (this.late) {
					this.late = false;
					LockRequest oneTry = KEY.waitFor(Duration.ZERO);
					triedMeanwhile
						.complete(Threads.join(Threads.start(() -> self.join().template().tryAcquire(oneTry))));
				}
			}

		};
		try (TestInstance one = new TestInstance((id) -> new LocalLockStore(this.locks), events)) {
			self.complete(one);
			blocking.complete(one.template().acquire(KEY));
			LockRequest withOwnLease = KEY.lease(Duration.ofSeconds(20)).waitFor(BRIEFLY);
			assertThat(one.template().tryAcquire(withOwnLease)).isEmpty();
			assertThat(triedMeanwhile.join()).isPresent();
		}
	}

	@Test
	void callerThatComesLaterAsksAlthoughTheStoreRefusedOthers() {
		FaultyStore store = new FaultyStore(new LocalLockStore(this.locks));
		CountDownLatch waiting = new CountDownLatch(1);
		CompletableFuture<Long> refused = new CompletableFuture<>();
		EngineListener events = new EngineListener() {

			@Override
			public void waiting(Waiter waiter) {
				waiting.countDown();
				long later = Threads.join(refused) + Outage.RETRY.toNanos();
				await().until(() -> System.nanoTime() - later > 0);
			}

		};
		try (TestInstance one = new TestInstance((id) -> store, events)) {
			CompletableFuture<CompletableFuture<LockHandle>> next = new CompletableFuture<>();
			store.beforeRequest(FaultyStore.Operation.ACQUIRE, () -> {
				next.complete(Threads.start(() -> one.template().acquire(KEY)));
				Threads.await(waiting);
				throw new LockStoreException("refused", null, false);
			});
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> one.template().acquire(KEY));
			refused.complete(System.nanoTime());
			assertThat(Threads.join(next.join()).isHeld()).isTrue();
		}
	}

	@Test
	void callersAreRefusedTogetherWhenTheStoreHasRefusedOne() {
		FaultyStore store = new FaultyStore(new LocalLockStore(this.locks));
		try (TestInstance one = new TestInstance((id) -> store)) {
			CompletableFuture<List<CompletableFuture<LockHandle>>> others = new CompletableFuture<>();
			store.beforeEachRequest(FaultyStore.Operation.ACQUIRE, () -> {
				if (!others.isDone()) {
					others.complete(IntStream.range(0, 50)
						.mapToObj((i) -> Threads.start(() -> one.template().acquire(KEY)))
						.toList());
					await().until(() -> one.registry().status().waiting() == 50);
				}
				throw new LockStoreException("refused", null, false);
			});
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> one.template().acquire(KEY));
			others.join()
				.forEach((other) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> Threads.join(other)));
			assertThat(store.calls(FaultyStore.Operation.ACQUIRE)).isLessThan(20);
		}
	}

	@Test
	void asynchronousWaitersLeaveWhileTheThreadsAreBusy() {
		CountDownLatch busy = new CountDownLatch(STORE_THREADS);
		CountDownLatch end = new CountDownLatch(1);
		FaultyStore store = new FaultyStore(new LocalLockStore(this.locks));
		try (TestInstance one = new TestInstance((id) -> store)) {
			LockHandle blocking = one.template().acquire(KEY);
			CompletableFuture<LockHandle> waiter = one.registry().acquireAsync(KEY.waitFor(Duration.ofSeconds(3)));
			CompletableFuture<LockHandle> cancelled = one.registry().acquireAsync(KEY);
			await().until(() -> one.registry().status().waiting() == 2);
			store.beforeEachRequest(FaultyStore.Operation.ACQUIRE, () -> {
				busy.countDown();
				Threads.await(end);
			});
			List<CompletableFuture<LockHandle>> others = IntStream.range(0, STORE_THREADS)
				.mapToObj((i) -> one.registry().acquireAsync(LockRequest.of("other-" + i)))
				.toList();
			Threads.await(busy);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(waiter));
			cancelled.cancel(true);
			await().until(() -> one.registry().status().waiting() == 0);
			end.countDown();
			blocking.release();
			others.forEach((other) -> Threads.join(other).release());
		}
	}

	/**
	 * A request that is not carried out may not be tried again without a pause.
	 */
	@Test
	void callerThatCannotReleaseWhatItHasLostAsksSeldom() {
		FaultyStore store = new FaultyStore(new LocalLockStore(this.locks));
		LockRequest shortly = LockRequest.of("key").lease(Duration.ofSeconds(2)).autoRenew(false);
		try (TestInstance one = new TestInstance((id) -> store)) {
			LockHandle lost = one.template().acquire(shortly);
			store.renew(List.of(new LockStore.Renewal(hold(one), Duration.ofSeconds(30))));
			await().until(() -> !lost.isHeld());
			store.loseRequests(FaultyStore.Operation.RELEASE, Integer.MAX_VALUE);
			int before = store.calls(FaultyStore.Operation.ACQUIRE);
			assertThat(one.template().tryAcquire(shortly.waitFor(Duration.ofSeconds(1)))).isEmpty();
			assertThat(store.calls(FaultyStore.Operation.ACQUIRE) - before).isLessThan(20);
		}
	}

	/**
	 * The last request before the end of all waits takes longer than what is left.
	 */
	@Test
	void waitWithoutLimitNeverEndsWithoutTheLock() {
		new LocalLockStore(this.locks).acquire(Claims.exclusive("key", "two:1", Duration.ofMinutes(1), 1, null));
		AtomicLong later = new AtomicLong();
		FaultyStore store = new FaultyStore(new LocalLockStore(this.locks));
		store.beforeEachRequest(FaultyStore.Operation.ACQUIRE, () -> later.addAndGet(60_000_000));
		try (HoldfastLockRegistry one = new HoldfastLockRegistry(store, settings(), List::of, EngineListener.NONE,
				EngineRuntime.of(() -> System.nanoTime() + later.get()), HoldfastLockRegistry.POLL)) {
			one.limitWaits(Duration.ofMillis(90));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> one.lock("key").lock());
		}
	}

	private static EngineSettings settings() {
		return new EngineSettings(() -> "one", Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, false,
				OnLost.THROW, 16, Duration.ofMillis(50));
	}

	private static HoldId hold(TestInstance instance) {
		return instance.registry().operations().heldLocks().iterator().next().id();
	}

}
