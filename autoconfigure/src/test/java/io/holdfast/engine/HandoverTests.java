package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a lock goes from one caller to the next within an instance, and what happens when
 * something comes in between.
 */
@Tag("slow")
class HandoverTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	/**
	 * For waiters that leave, but not before they are seen waiting.
	 */
	private static final Duration AWHILE = Duration.ofSeconds(3);

	/**
	 * The store is to be asked each time.
	 */
	@Override
	Duration handoverCheck() {
		return Duration.ZERO;
	}

	/**
	 * Have another thread of {@code one} wait for the lock.
	 */
	private CompletableFuture<LockHandle> waiter(LockRequest request) {
		int waiting = this.one.registry().status().acquiring();
		CompletableFuture<LockHandle> waiter = Threads.start(() -> this.one.template().acquire(request));
		awaitWaiting(waiting + 1);
		return waiter;
	}

	private CompletableFuture<LockHandle> waiter() {
		return waiter(request().ownedByHandle());
	}

	@Test
	void waitersOfOneInstanceGetTheLockInOrderAndInOneRoundTripEach() {
		int waiters = 5;
		LockHandle first = this.one.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < waiters; i++) {
			waiting.add(waiter());
		}
		long token = first.fencingToken();
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		for (CompletableFuture<LockHandle> next : waiting) {
			LockHandle handle = Threads.join(next);
			assertThat(handle.fencingToken()).isGreaterThan(token);
			assertThat(handle.isHeld()).isTrue();
			token = handle.fencingToken();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(this.network.calls(Operation.ACQUIRE)).isOne();
		assertThat(this.network.calls(Operation.TRANSFER)).isEqualTo(waiters);
		assertThat(this.network.calls(Operation.RELEASE)).isOne();
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockThatWasHandedOnIsRenewed() {
		Duration lease = Duration.ofSeconds(6);
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = waiter(request().ownedByHandle().lease(lease));
		first.release();
		LockHandle second = Threads.join(waiter);
		assertThat(second.remainingLease()).isLessThanOrEqualTo(lease);
		await().until(() -> this.one.registry().status().lastRenewal() != null);
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void waiterFindsTheLockThatItWasHandedByALostReply() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = waiter();
		this.network.loseReplies(Operation.TRANSFER, 1);
		assertThat(first.release()).isEqualTo(ReleaseResult.PENDING);
		LockHandle second = Threads.join(waiter);
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		await().until(() -> this.network.calls(Operation.RELEASE) >= 1);
		assertThat(isFree()).isFalse();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	private HoldfastLockRegistry timeless() {
		return timeless(Duration.ZERO);
	}

	private HoldfastLockRegistry timeless(Duration handoverCheck) {
		long now = System.nanoTime();
		HoldfastLockRegistry registry = new HoldfastLockRegistry(this.network,
				new EngineSettings(() -> this.one.id(), Duration.ofHours(1), Duration.ofSeconds(5), true, null, false,
						OnLost.THROW, TestInstance.LOCAL_HANDOFFS, handoverCheck),
				List::of, EngineListener.NONE, EngineRuntime.of(() -> now), LONG_POLL);
		registry.tryAcquire(LockRequest.of("listen-" + this.one.id())).orElseThrow().release();
		await().until(() -> this.network.subscription() == Subscription.ACTIVE);
		return registry;
	}

	@Test
	void waiterGetsTheLockAfterTheHoldBeforeItWasLost() {
		LockHandle first = this.one.template().acquire(request().autoRenew(false));
		CompletableFuture<LockHandle> waiter = waiter();
		this.network.beforeRequest(Operation.TRANSFER,
				() -> this.two.store()
					.release(new LockStore.HoldId(this.key, this.one.registry().held().iterator().next().owner(),
							first.fencingToken())));
		assertThat(first.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(() -> this.one.events().lost().size() == 1);
	}

	@Test
	void waiterWhoseTimeRunsOutBeforeItIsHandedTheLockLeavesAtOnceAndTheLockIsPassedOn() {
		assertThatWaiterLeavesWhileItIsHandedTheLock(this.network::beforeRequest);
	}

	@Test
	void waiterWhoseTimeRunsOutAfterItWasHandedTheLockLeavesAtOnceAndTheLockIsPassedOn() {
		assertThatWaiterLeavesWhileItIsHandedTheLock(this.network::beforeReply);
	}

	private void assertThatWaiterLeavesWhileItIsHandedTheLock(Fault fault) {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> leaver = Threads
			.start(() -> this.one.template().tryAcquire(request().waitFor(AWHILE)).isPresent());
		awaitWaiting(1);
		CompletableFuture<LockHandle> patient = waiter();
		fault.when(Operation.TRANSFER, () -> assertThat(Threads.join(leaver)).isFalse());
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle handle = Threads.join(patient);
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.network.calls(Operation.TRANSFER)).isEqualTo(2);
		assertThat(this.network.calls(Operation.RELEASE)).isOne();
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockHandedToAWaiterThatAsksAgainForLongerLastsForThatLong() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> left = new CompletableFuture<>();
		CompletableFuture<LockHandle> again = Threads.start(() -> {
			LockRequest shorter = request().lease(Duration.ofMinutes(1)).waitFor(AWHILE);
			left.complete(this.one.template().tryAcquire(shorter).isEmpty());
			return this.one.template().acquire(request().lease(Duration.ofMinutes(5)));
		});
		awaitWaiting(1);
		CompletableFuture<LockHandle> other = this.one.template().acquireAsync(request());
		await().until(() -> this.one.registry().status().acquiring() == 2);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			assertThat(Threads.join(left)).isTrue();
			await().until(() -> this.one.registry().status().acquiring() == 2);
			other.cancel(false);
			awaitWaiting(1);
		});
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle handle = Threads.join(again);
		assertThat(this.two.registry().operations().view().look(List.of(this.key)).get(0).holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(handle.remainingLease()));
		assertThat(handle.remainingLease()).isGreaterThan(Duration.ofMinutes(2));
	}

	/**
	 * What a waiter asked for that has left may be carried out while another is inside.
	 */
	@Test
	void grantThatALateHandoverNamesIsNotEntered() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<Boolean> left = new CompletableFuture<>();
		CompletableFuture<LockHandle> again = Threads.start(() -> {
			left.complete(this.one.template().tryAcquire(request().waitFor(AWHILE)).isEmpty());
			LockHandle handle = this.one.template().acquire(request());
			this.network.carryOutDelayed();
			assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
			return handle;
		});
		awaitWaiting(1);
		CompletableFuture<LockHandle> leaver = this.one.template().acquireAsync(request());
		await().until(() -> this.one.registry().status().acquiring() == 2);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			assertThat(Threads.join(left)).isTrue();
			await().until(() -> this.one.registry().status().acquiring() == 2);
			this.network.delayRequest(Operation.TRANSFER, () -> leaver.cancel(false));
		});
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Threads.join(again).fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(isFree()).isTrue();
	}

	@Test
	void waiterThatIsInterruptedWhileItIsHandedTheLockLeavesAtOnce() {
		LockHandle first = this.one.template().acquire(this.key);
		AtomicReference<Thread> thread = new AtomicReference<>();
		CompletableFuture<LockHandle> waiter = Threads.start(() -> {
			thread.set(Thread.currentThread());
			return this.one.template().acquire(this.key);
		});
		awaitWaiting(1);
		this.network.beforeReply(Operation.TRANSFER, () -> {
			thread.get().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> Threads.join(waiter));
		});
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(this::isFree);
	}

	@Test
	void renewalThatCrossesTheHandoverIsNoLoss() {
		CountDownLatch handedOn = new CountDownLatch(1);
		CountDownLatch renewing = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		this.network.around(Operation.RENEW, () -> {
			renewing.countDown();
			Threads.await(handedOn);
		}, answered::countDown);
		LockHandle first = this.one.template().acquire(request().lease(Duration.ofSeconds(6)));
		CompletableFuture<LockHandle> waiter = waiter();
		Threads.await(renewing);
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle second = Threads.join(waiter);
		handedOn.countDown();
		Threads.await(answered);
		await().during(Duration.ofMillis(200)).until(() -> second.isHeld() && this.one.events().lost().isEmpty());
		assertThat(this.one.registry().status().lastRenewal()).as("nothing was renewed").isNull();
		assertThat(second.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void shutdownWhileTheLockIsHandedOnLeavesNothingBehind() {
		LockHandle first = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = waiter();
		CompletableFuture<?>[] stopped = new CompletableFuture<?>[1];
		this.network.beforeReply(Operation.TRANSFER, () -> {
			stopped[0] = Threads.start(() -> {
				this.one.registry().stop(Duration.ofSeconds(5));
				return true;
			});
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(waiter));
		});
		assertThat(first.release()).isEqualTo(ReleaseResult.RELEASED);
		Threads.join(stopped[0]);
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

	@Test
	void anotherInstanceGoesFirstAfterSoManyHandovers() {
		TestInstance patient = newPatientInstance();
		LockHandle first = acquireByWakeUp();
		List<CompletableFuture<String>> order = new ArrayList<>();
		List<String> sections = new CopyOnWriteArrayList<>();
		for (int i = 0; i < TestInstance.LOCAL_HANDOFFS + 4; i++) {
			order.add(waiter().thenApply((handle) -> {
				sections.add("one");
				return handle.release().name();
			}));
		}
		CompletableFuture<LockHandle> other = Threads.start(() -> patient.template().acquire(this.key));
		await().until(() -> patient.store().subscription() == LockStore.Subscription.ACTIVE);
		other.thenAccept((handle) -> {
			sections.add("two");
			handle.close();
		});
		first.release();
		assertThat(order).allSatisfy((result) -> assertThat(Threads.join(result)).isEqualTo("RELEASED"));
		assertThat(sections.indexOf("two")).isEqualTo(TestInstance.LOCAL_HANDOFFS);
	}

	/**
	 * Acquire the lock in a way that leaves {@code one} with a subscription: when it
	 * opens, all waiters try at once.
	 */
	private LockHandle acquireByWakeUp() {
		LockHandle held = Threads.call(() -> this.two.template().acquire(request().ownedByHandle()));
		CompletableFuture<LockHandle> waiter = waiter();
		await().until(() -> this.one.store().subscription() == LockStore.Subscription.ACTIVE);
		held.close();
		return Threads.join(waiter);
	}

	@Test
	void lockStaysWithinAnInstanceAsLongAsNoOtherWaits() {
		LockHandle first = this.one.template().acquire(this.key);
		List<CompletableFuture<ReleaseResult>> waiters = new ArrayList<>();
		for (int i = 0; i < 2 * TestInstance.LOCAL_HANDOFFS; i++) {
			waiters.add(waiter().thenApply(LockHandle::release));
		}
		first.release();
		assertThat(waiters).allSatisfy((result) -> assertThat(Threads.join(result)).isEqualTo(ReleaseResult.RELEASED));
		assertThat(this.network.calls(Operation.ACQUIRE)).isOne();
	}

	@FunctionalInterface
	private interface Fault {

		void when(Operation operation, Runnable action);

	}

}
