package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
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
 * Requests and replies that get lost or late when locks are released, kept or downgraded,
 * or their application shuts down, and how holders are told that a lock is gone.
 */
@Tag("slow")
class ReleaseFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	private static final int ALWAYS = 1_000_000;

	private static final Duration KEPT = Duration.ofMinutes(2);

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

	private static final String OTHER = "other-";

	@Test
	void releaseThatDoesNotGetThroughIsRepeatedInTheBackground() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 3);
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(handle.isHeld()).isFalse();
		await().until(this::isFree);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void downgradeWithoutAnAnswerIsRepeatedWhileTheLockIsHeld(boolean carriedOut) {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		if (carriedOut) {
			this.network.loseReplies(Operation.DOWNGRADE, 1);
		}
		else {
			this.network.loseRequests(Operation.DOWNGRADE, 2);
		}
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		await().until(() -> isFree(request().shared()));
		assertThat(isFree()).isFalse();
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
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
		await().until(() -> this.one.events().lost().size() == 1);
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

	private void takeAway(LockHandle handle, String name) {
		stores().takeAway(name);
		assertThat(handle.extend(Duration.ofMinutes(1))).isFalse();
	}

	private LockHandle acquire(Duration minHold) {
		return this.one.template().acquire(request().minHold(minHold));
	}

	private HoldId hold(LockHandle handle) {
		return new HoldId(this.key, this.one.id() + ":" + Thread.currentThread().getId(), handle.fencingToken());
	}

	private boolean isDeniedHere() {
		return this.one.template().tryAcquire(oneTry()).isEmpty();
	}

	@Test
	void lockIsKeptAsSoonAsTheStoreCanBeTold() {
		LockHandle handle = acquire(KEPT);
		this.network.loseRequests(Operation.KEEP, 3);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(this.one.registry().held()).isEmpty();
		await().until(() -> this.network.calls(Operation.KEEP) >= 4);
		await().until(() -> Claims.held(this.two.store(), this.key, hold(handle).owner()).isEmpty());
		assertThat(isFree()).isFalse();
		assertThat(isDeniedHere()).isTrue();
	}

	/**
	 * The store still has the hold as the owner's.
	 */
	@Test
	void ownerDoesNotGetInWhileTheStoreHasNotBeenTold() {
		LockHandle handle = acquire(KEPT);
		this.network.loseRequests(Operation.KEEP, ALWAYS);
		handle.close();
		assertThat(isDeniedHere()).isTrue();
		assertThat(Claims.held(this.two.store(), this.key, hold(handle).owner())).containsExactly(hold(handle));
		assertThat(isFree()).isFalse();
		this.network.loseRequests(Operation.KEEP, 0);
		assertThat(isDeniedHere()).isTrue();
		assertThat(isFree()).isFalse();
	}

	@Test
	void shutdownKeepsWhatTheStoreHasNotBeenToldYet() {
		LockHandle handle = acquire(KEPT);
		LockHandle held = this.one.template().acquire(LockRequest.of("held-" + this.key).minHold(KEPT));
		this.network.loseRequests(Operation.KEEP, 1);
		handle.close();
		this.one.close();
		assertThat(isFree()).isFalse();
		assertThat(Claims.held(this.two.store(), this.key, hold(handle).owner())).isEmpty();
		assertThat(held.isHeld()).isFalse();
		assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree(LockRequest.of("held-" + this.key))).isFalse();
	}

	@Test
	void whatHasExpiredIsNotKept() {
		LockHandle handle = this.one.template()
			.acquire(request().minHold(KEPT).lease(Duration.ofMillis(100)).autoRenew(false));
		await().until(() -> !handle.isHeld());
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		await().until(this::isFree);
	}

	@Test
	void lockIsKeptForLongerThanItsLease() {
		LockHandle handle = this.one.template().acquire(request().minHold(KEPT).lease(LONG).autoRenew(false));
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		await().during(LONG.plusMillis(500)).until(() -> !isFree());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void acquisitionUnderWayAtShutdownIsGivenBack(boolean startsAgain) {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(stopped);
		});
		CompletableFuture<LockHandle> acquisition = acquire(this.one, request().ownedByHandle());
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		if (startsAgain) {
			this.network.beforeRequest(Operation.RELEASE, this.one.registry()::start);
		}
		stopped.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

	/**
	 * As in two copies of a process, whose requests would have the same names.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void acquisitionThatBeganBeforeAStopIsRefusedWhenStartedAgain(boolean byHandle) {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch started = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(started);
		});
		LockRequest request = byHandle ? request().ownedByHandle() : request();
		CompletableFuture<LockHandle> acquisition = acquire(this.one, request);
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		this.one.registry().start();
		started.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.registry().held()).isEmpty();
		this.one.template().acquire(this.key).close();
	}

	/**
	 * As it takes to log the losses of many locks.
	 */
	@Test
	void timeBeforeAShutdownAsksTheStoreIsNoSilenceOfIt() {
		AtomicLong nanos = new AtomicLong();
		ShutdownTasks tasks = new ShutdownTasks(EngineRuntime.of(nanos::get));
		nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		List<String> asked = new CopyOnWriteArrayList<>();
		tasks.run(List.of());
		nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		tasks.run(List.of(() -> asked.add("answered")));
		nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		tasks.run(List.of(() -> asked.add("too late")));
		assertThat(asked).containsExactly("answered");
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
	void pendingReleaseIsRepeatedForAsLongAsAnExtendedLeaseLasts() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		assertThat(handle.extend(Duration.ofMinutes(1))).isTrue();
		this.network.loseRequests(Operation.RELEASE, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		pass(LONG);
		this.network.loseRequests(Operation.RELEASE, 0);
		await().until(this::isFree);
	}

}
