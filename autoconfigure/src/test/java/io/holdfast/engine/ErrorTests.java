package io.holdfast.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What one {@link Error} does: its caller gets it, the section of that caller ends, and
 * everything else goes on.
 */
class ErrorTests {

	/**
	 * Longer than anybody waits.
	 */
	private static final Duration LEASE = Duration.ofMinutes(2);

	private static final String KEY = "key";

	private final FaultyStore network = new FaultyStore(new LocalLockStore(new LocalLocks()));

	private final AtomicInteger toldOfLoss = new AtomicInteger();

	private final HoldfastLockRegistry registry = new HoldfastLockRegistry(this.network, new EngineSettings(() -> "one",
			LEASE, Duration.ofSeconds(20), true, null, false, OnLost.THROW, 16, Duration.ofMillis(50), null, null),
			() -> List.of(new FailingListener()));

	@AfterEach
	void close() {
		this.registry.close();
	}

	private LockHandle acquire() {
		return this.registry.acquireOrThrow(LockRequest.of(KEY));
	}

	private CompletableFuture<Boolean> other() {
		return Threads.start(() -> {
			acquire().close();
			return true;
		});
	}

	private static void fail() {
		throw new StackOverflowError("for a test");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void reachesTheCallerThatAcquiresAndNoOther(boolean carriedOut) {
		if (carriedOut) {
			this.network.beforeReply(Operation.ACQUIRE, ErrorTests::fail);
		}
		else {
			this.network.beforeRequest(Operation.ACQUIRE, ErrorTests::fail);
		}
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(this::acquire);
		assertThat(this.registry.held()).isEmpty();
		assertThat(Threads.join(other())).isTrue();
	}

	@Test
	void reachesTheFutureOfACallerThatDoesNotWait() {
		this.network.beforeRequest(Operation.ACQUIRE, ErrorTests::fail);
		assertThatThrownBy(() -> this.registry.acquireAsync(LockRequest.of(KEY)).join())
			.hasCauseInstanceOf(StackOverflowError.class);
		assertThat(Threads.join(other())).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void endsTheSectionThatIsReleased(boolean waitedFor) {
		LockHandle lock = acquire();
		CompletableFuture<Boolean> other = waitedFor ? other() : null;
		if (waitedFor) {
			await().until(() -> this.registry.status().waiting() == 1);
		}
		this.network.beforeRequest(waitedFor ? Operation.TRANSFER : Operation.RELEASE, ErrorTests::fail);
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(lock::release);
		assertThat(lock.isHeld()).isFalse();
		assertThat(Threads.join((other != null) ? other : other())).isTrue();
	}

	// What the store grants cannot be noted
	private HoldfastLockRegistry garbling(String method, AtomicBoolean garbles) {
		LockStore garbling = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, called, arguments) -> {
					Object answer = called.invoke(this.network, arguments);
					boolean garbled = answer instanceof Granted && called.getName().equals(method)
							&& garbles.getAndSet(false);
					return garbled ? new Granted(new HoldId("two", List.of()), 0, false) : answer;
				});
		return new HoldfastLockRegistry(garbling, new EngineSettings(() -> "two", LEASE, LEASE, true, null, false,
				OnLost.THROW, 16, Duration.ZERO, null, null), List::of);
	}

	@Test
	void ofAGrantThatWasNotBookedLeavesNoLock() {
		try (HoldfastLockRegistry one = garbling("acquire", new AtomicBoolean(true))) {
			assertThatThrownBy(() -> one.tryAcquire(LockRequest.of(KEY)));
			assertThat(Threads.join(other())).isTrue();
		}
	}

	@Test
	void inGivingAPartBackLeavesNoLock() {
		this.network.leaveIncomplete(1);
		this.network.beforeRequest(Operation.RELEASE, ErrorTests::fail);
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(this::acquire);
		assertThat(Threads.join(other())).isTrue();
	}

	/**
	 * The store has handed the lock on, and what it says of that cannot be noted.
	 */
	@Test
	void ofAHandOverThatWasCarriedOutLetsTheNextCallerIn() {
		AtomicBoolean garbles = new AtomicBoolean(true);
		try (HoldfastLockRegistry one = garbling("transfer", garbles)) {
			LockHandle lock = one.acquireOrThrow(LockRequest.of(KEY));
			CompletableFuture<Boolean> other = Threads.start(() -> {
				one.acquireOrThrow(LockRequest.of(KEY).waitForever()).close();
				return true;
			});
			await().until(() -> one.status().waiting() == 1);
			assertThat(lock.release()).isEqualTo(ReleaseResult.PENDING);
			assertThat(garbles).isFalse();
			assertThat(Threads.join(other)).isTrue();
		}
	}

	private HoldfastLockRegistry running(String method, Object made) {
		EngineRuntime real = EngineRuntime.of(MonotonicClock.SYSTEM);
		EngineRuntime runtime = (EngineRuntime) Proxy.newProxyInstance(EngineRuntime.class.getClassLoader(),
				new Class<?>[] { EngineRuntime.class },
				(proxy, called, arguments) -> called.getName().equals(method) ? made : called.invoke(real, arguments));
		return new HoldfastLockRegistry(this.network,
				new EngineSettings(() -> "two", LEASE.multipliedBy(10), LEASE, true, null, false, OnLost.THROW, 16,
						Duration.ofMillis(50), null, null),
				List::of, new EngineListener[0], runtime, HoldfastLockRegistry.POLL);
	}

	@Test
	void ofANestedAcquisitionEndsThatOnly() {
		TaskThreads threads = new TaskThreads(DaemonThreads.named("test-timer"), 1);
		AtomicBoolean fails = new AtomicBoolean();
		EngineTimer timer = (EngineTimer) Proxy.newProxyInstance(EngineTimer.class.getClassLoader(),
				new Class<?>[] { EngineTimer.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("schedule") && fails.getAndSet(false)) {
						fail();
					}
					return called.invoke(threads, arguments);
				});
		try (HoldfastLockRegistry one = running("newTimer", timer)) {
			LockHandle outer = one.acquireOrThrow(LockRequest.of(KEY));
			fails.set(true);
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> one.acquireOrThrow(LockRequest.of(KEY)));
			assertThat(outer.isHeld()).isTrue();
			assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
			fails.set(true);
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> one.acquireOrThrow(LockRequest.of(KEY)));
			assertThat(one.held()).isEmpty();
			assertThat(Threads.join(other())).isTrue();
		}
	}

	@Test
	void ofACallerThatDoesNotWaitAndGetsNoThreadLeavesNoRequest() {
		Executor withoutThreads = (task) -> fail();
		try (HoldfastLockRegistry one = running("newExecutor", withoutThreads)) {
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> one.acquireAsync(LockRequest.of(KEY)));
			assertThat(one.status().acquiring()).isZero();
		}
	}

	@Test
	void endsNoRenewals() {
		LockHandle lock = this.registry.acquireOrThrow(LockRequest.of(KEY).lease(Duration.ofSeconds(6)));
		this.network.beforeRequest(Operation.RENEW, ErrorTests::fail);
		await().until(() -> this.network.calls(Operation.RENEW) > 1);
		this.network.beforeRequest(Operation.RENEW, () -> {
			throw new IllegalStateException("for a test");
		});
		await().until(() -> this.network.calls(Operation.RENEW) > 3);
		assertThat(lock.isHeld()).isTrue();
		lock.close();
	}

	@Test
	void ofAListenerEndsNothing() {
		try (LockHandle lock = acquire()) {
			assertThat(this.registry.operations().forceRelease(KEY, null, LEASE)).isNotNull();
			await().until(() -> !lock.isHeld());
		}
		await().until(() -> this.toldOfLoss.get() == 1);
		assertThat(Threads.join(other())).isTrue();
	}

	private final class FailingListener implements LockListener {

		@Override
		public void onAcquired(LockSnapshot lock, Duration waited) {
			fail();
		}

		@Override
		public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
			fail();
		}

		@Override
		public void onLost(LockSnapshot lock, Throwable cause) {
			ErrorTests.this.toldOfLoss.incrementAndGet();
			fail();
		}

	}

}
