package io.holdfast.engine;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.concurrent.Background;
import io.holdfast.diagnostics.LockDiagnostics;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What errors in the background, and a lack of threads, do to locks: nothing that lasts.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class BackgroundFailureTests {

	private static final Duration LEASE = Duration.ofSeconds(4);

	private final FailingRuntime runtime = new FailingRuntime();

	private final LocalLocks locks = new LocalLocks();

	private final FaultyStore network = new FaultyStore(new LocalLockStore(this.locks));

	private final RecordingListener events = new RecordingListener();

	private final HoldfastLockRegistry registry = new HoldfastLockRegistry(this.network,
			new EngineSettings(() -> "one", LEASE, Duration.ofSeconds(20), true, null, false, OnLost.THROW, 16,
					Duration.ofMillis(50), Duration.ZERO, 1000),
			() -> List.of(this.events), new LockDiagnostics(Duration.ofMillis(100), null, false), this.runtime,
			HoldfastLockRegistry.POLL);

	@AfterEach
	void close() {
		this.runtime.failClock(() -> false);
		this.registry.close();
	}

	private LockHandle acquire(String key) {
		return this.registry.acquireOrThrow(LockRequest.of(key));
	}

	private boolean isFree(String key) {
		return Threads.call(() -> {
			Optional<LockHandle> handle = this.registry.tryAcquire(LockRequest.of(key).waitFor(Duration.ZERO));
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		});
	}

	private void awaitRenewals(int more) {
		int before = this.network.calls(Operation.RENEW);
		await().until(() -> this.network.calls(Operation.RENEW) >= before + more);
	}

	/**
	 * Each of the first looks at the clock that a thread of the engine takes from now on
	 * fails in one of the rounds.
	 */
	@Test
	void renewalGoesOnWhereverAnErrorHitsIt() {
		LockHandle lock = acquire("key");
		for (int n = 1; n <= 8; n++) {
			AtomicInteger countdown = new AtomicInteger(n);
			this.runtime.failClock(() -> FailingRuntime.isInBackground() && countdown.decrementAndGet() == 0);
			await().until(() -> countdown.get() <= 0);
			awaitRenewals(1);
		}
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.events.lost()).isEmpty();
	}

	@Test
	void locksAreRenewedWhenMemoryIsThereAgain() {
		LockHandle lock = acquire("key");
		AtomicInteger failures = new AtomicInteger();
		this.runtime.failClock(() -> FailingRuntime.isInBackground() && failures.incrementAndGet() <= 10);
		awaitRenewals(3);
		assertThat(failures).hasValueGreaterThan(10);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void lockIsRenewedAlthoughTheLogFails() {
		LockHandle lock = acquire("key");
		this.network.loseRequests(Operation.RENEW, 2);
		try (FailingLog log = new FailingLog("io.holdfast.diagnostics")) {
			awaitRenewals(4);
			assertThat(log.failures()).isPositive();
		}
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void taskIsDoneInTimeAlthoughTheThreadSleepsForTooLongAfterAPause() {
		Background background = new Background(this.runtime, "holdfast-test");
		this.runtime.pauseBeforeSleep(Duration.ofHours(2));
		background.schedule(new Background.Task(() -> {
		}), Duration.ofHours(1).toNanos());
		await().until(this.runtime::hasPaused);
		CompletableFuture<Void> done = new CompletableFuture<>();
		background.schedule(new Background.Task(() -> done.complete(null)), 0);
		assertThat(done).succeedsWithin(Duration.ofSeconds(10));
		background.stop();
	}

	@Test
	void lockThatCannotBeRenewedIsNotGranted() {
		this.runtime.failStarts(Integer.MAX_VALUE);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> acquire("key"))
			.withMessage("Lock 'key' could not be kept: no thread can be started to renew it");
		this.runtime.failStarts(0);
		assertThat(this.registry.held()).isEmpty();
		LockHandle lock = acquire("key");
		awaitRenewals(2);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void threadsKeepNoClassLoaderOfACaller() throws Exception {
		Set<Thread> before = Threads.named("holdfast-");
		try (URLClassLoader callers = new URLClassLoader(new URL[0]);
				HoldfastLockRegistry fresh = new HoldfastLockRegistry(new LocalLockStore(new LocalLocks()),
						new EngineSettings(() -> "one", LEASE, Duration.ofSeconds(20), true, null, false, OnLost.THROW,
								16, Duration.ofMillis(50), Duration.ZERO, 1000),
						List::of, EngineListener.NONE)) {
			Threads.call(() -> {
				Thread.currentThread().setContextClassLoader(callers);
				return fresh.acquireAsync(LockRequest.of("key")).join().releaseAsync().join();
			});
			assertThat(Threads.named("holdfast-", before)).isNotEmpty()
				.extracting(Thread::getContextClassLoader)
				.containsOnly(Thread.currentThread().getContextClassLoader());
		}
	}

	@Test
	void taskThatMustNotBeLostHasTheThreadStartedAgain() {
		Background background = new Background(this.runtime, "holdfast-test");
		this.runtime.failStarts(3);
		CompletableFuture<Void> done = new CompletableFuture<>();
		background.scheduleForSure(new Background.Task(() -> done.complete(null)), 0);
		assertThat(done).succeedsWithin(Duration.ofSeconds(10));
		background.stop();
	}

	@Test
	void taskThatIsRefusedAndRunAllTheSameIsRunOnce() throws Exception {
		Background background = new Background(this.runtime, "holdfast-test");
		AtomicInteger runs = new AtomicInteger();
		Executor executor = background.newExecutor("refusing", 1);
		this.runtime.refuseAndRunTasks("refusing", 3);
		executor.execute(runs::incrementAndGet);
		await().until(() -> this.runtime.hasTaken("refusing"));
		CompletableFuture.runAsync(() -> {
		}, executor).get(10, TimeUnit.SECONDS);
		assertThat(runs).hasValue(1);
		background.stop();
	}

	@Test
	void lockIsRenewedByAThreadThatCannotBeStartedAtFirst() {
		LockHandle lock = acquire("key");
		this.runtime.refuseTasks("holdfast-renewal", 3);
		awaitRenewals(2);
		assertThat(this.runtime.hasFailed()).isTrue();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void releaseIsRepeatedByAThreadThatCannotBeStartedAtFirst() {
		LockHandle lock = acquire("key");
		this.runtime.refuseTasks("holdfast-store", 3);
		this.network.loseRequests(Operation.RELEASE, 3);
		assertThat(lock.release()).isEqualTo(ReleaseResult.PENDING);
		await().until(this.runtime::hasFailed);
		await().until(() -> this.network.calls(Operation.RELEASE) >= 4);
		await().until(() -> isFree("key"));
	}

	@Test
	void releaseIsRepeatedAlthoughErrorsHitThat() {
		LockHandle lock = acquire("key");
		this.network.loseRequests(Operation.RELEASE, 3);
		AtomicInteger failures = new AtomicInteger();
		this.runtime.failClock(() -> FailingRuntime.isInBackground() && failures.incrementAndGet() <= 10);
		assertThat(lock.release()).isEqualTo(ReleaseResult.PENDING);
		await().until(() -> this.network.calls(Operation.RELEASE) >= 4);
		await().until(() -> isFree("key"));
		assertThat(failures).hasValueGreaterThan(10);
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast-store", "holdfast-callback" })
	void asynchronousCallerGetsItsLockWithoutThreadsAtFirst(String name) {
		LockHandle lock = acquire("key");
		this.runtime.refuseTasks(name, 2);
		CompletableFuture<LockHandle> waiter = this.registry.acquireAsync(LockRequest.of("key"));
		await().until(() -> this.registry.status().waiting() == 1);
		this.runtime.refuseTasks(name, 2);
		lock.release();
		assertThat(Threads.join(Threads.join(waiter).releaseAsync())).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.runtime.hasFailed()).isTrue();
	}

	@Test
	void asynchronousCallerIsToldOfAnErrorAndLeavesNothing() {
		LockHandle lock = acquire("key");
		CompletableFuture<LockHandle> waiter = this.registry.acquireAsync(LockRequest.of("key"));
		await().until(() -> this.registry.status().waiting() == 1);
		CompletableFuture<LockHandle> next = this.registry.acquireAsync(LockRequest.of("key"));
		await().until(() -> this.registry.status().waiting() == 2);
		Threads.awaitIdle("holdfast-store");
		AtomicInteger failures = new AtomicInteger();
		this.runtime.failClock(
				() -> Thread.currentThread().getName().equals("holdfast-store") && failures.incrementAndGet() == 1);
		lock.release();
		assertThat(waiter).failsWithin(Duration.ofSeconds(20));
		assertThat(Threads.join(next).release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.registry.status().acquiring()).isZero();
	}

	@Test
	void locksAreTakenBackByThreadsThatCannotBeStartedAtFirst() {
		LockHandle lock = acquire("key");
		this.runtime.refuseTasks("holdfast-store", 3);
		this.registry.stop(Duration.ZERO);
		assertThat(lock.isHeld()).isFalse();
		assertThat(this.runtime.hasFailed()).isTrue();
		assertThat(new LocalLockStore(this.locks).view().look(List.of("key"))).isEmpty();
	}

}
