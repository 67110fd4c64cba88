package io.holdfast;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Asynchronous code under a lock.
 */
class AsyncExecutionTests {

	private static final LockRequest REQUEST = LockRequest.of("key").waitFor(Duration.ofSeconds(30));

	private final LocalStores stores = new LocalStores();

	private final TestInstance instance = new TestInstance(this.stores::open);

	private final TestInstance forgiving = new TestInstance(this.stores::open, OnLost.LOG);

	private final LockTemplate template = this.instance.template();

	private final CompletableFuture<String> work = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.instance.close();
		this.forgiving.close();
	}

	private boolean isLocked() {
		return this.forgiving.template()
			.tryExecute(LockRequest.of("key").waitFor(Duration.ZERO), (lock) -> true)
			.isEmpty();
	}

	private CompletableFuture<String> started(TestInstance instance) {
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<String> result = instance.template().executeAsync(REQUEST, (lock) -> {
			begun.complete(null);
			return this.work;
		});
		Threads.join(begun);
		return result;
	}

	@Test
	void lockIsHeldUntilTheStageCompletes() {
		CompletableFuture<String> result = started(this.instance);
		assertThat(isLocked()).isTrue();
		assertThat(result).isNotDone();
		this.work.complete("done");
		assertThat(Threads.join(result)).isEqualTo("done");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockIsReleasedBeforeTheCallerSeesTheResult() {
		CompletableFuture<Boolean> seen = started(this.instance).thenApply((result) -> isLocked());
		this.work.complete("done");
		assertThat(Threads.join(seen)).isFalse();
	}

	@Test
	void resultMayBeNull() {
		CompletableFuture<String> result = started(this.instance);
		this.work.complete(null);
		assertThat(Threads.join(result)).isNull();
	}

	@Test
	void failureOfTheStageIsTheCallers() {
		CompletableFuture<String> result = started(this.instance);
		IllegalArgumentException failure = new IllegalArgumentException("business");
		this.work.completeExceptionally(failure);
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result))
			.satisfies((thrown) -> assertThat(thrown).isSameAs(failure));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void failureBehindSeveralStagesIsTheCallers() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lock) -> this.work.thenApply((value) -> value));
		this.work.completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result)).withMessage("business");
	}

	@Test
	void codeThatThrowsReleasesTheLock() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			throw new IllegalArgumentException("business");
		});
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result)).withMessage("business");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void codeThatReturnsNoStageReleasesTheLock() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> null);
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(result))
			.withMessage("The code to run under a lock returned null instead of a stage");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void stageThatCannotBeListenedToReleasesTheLock() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> new DeafStage());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> Threads.join(result))
			.withMessage("deaf");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void callerIsToldOfAReleaseThatThrows() {
		LockRegistry throwing = new ThrowingRegistry(this.instance.registry());
		CompletableFuture<String> result = new LockTemplate(throwing).executeAsync(REQUEST, (lock) -> this.work);
		this.work.complete("done");
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(result)).withMessage("no release");
	}

	@Test
	void callerIsToldOfAFailureRatherThanOfAReleaseThatThrows() {
		LockRegistry throwing = new ThrowingRegistry(this.instance.registry());
		CompletableFuture<String> result = new LockTemplate(throwing).executeAsync(REQUEST, (lock) -> this.work);
		this.work.completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result))
			.withMessage("business")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(IllegalStateException.class));
	}

	@Test
	void codeInheritsNothingFromWhoeverCausedItsThread() {
		InheritableThreadLocal<String> identity = new InheritableThreadLocal<>();
		identity.set("alice");
		try (LockHandle lock = Threads.join(this.template.acquireAsync(REQUEST))) {
			assertThat(lock.isHeld()).isTrue();
		}
		identity.set("bob");
		CompletableFuture<String> seen = this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(identity.get()));
		assertThat(Threads.join(seen)).isNull();
	}

	@Test
	void codeHasTheClassLoaderOfTheApplication() {
		CompletableFuture<ClassLoader> seen = this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader()));
		assertThat(Threads.join(seen)).isSameAs(Thread.currentThread().getContextClassLoader());
	}

	@Test
	void lossIsTold() {
		CompletableFuture<String> result = started(this.instance);
		this.stores.takeAway("key");
		this.work.complete("done");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Threads.join(result))
			.withMessageContaining("key");
	}

	@Test
	void lossIsNotToldWhenItIsOnlyLogged() {
		CompletableFuture<String> result = started(this.forgiving);
		this.stores.takeAway("key");
		this.work.complete("done");
		assertThat(Threads.join(result)).isEqualTo("done");
	}

	@Test
	void lossDoesNotHideAFailure() {
		CompletableFuture<String> result = started(this.instance);
		this.stores.takeAway("key");
		this.work.completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result))
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(LockLostException.class));
	}

	@Test
	void codeDoesNotRunWithoutTheLock() {
		AtomicBoolean ran = new AtomicBoolean();
		try (LockHandle blocking = this.forgiving.template().acquire("key")) {
			CompletableFuture<String> result = this.template.executeAsync(REQUEST.waitFor(Duration.ZERO), (lock) -> {
				ran.set(true);
				return this.work;
			});
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(result));
			assertThat(blocking.isHeld()).isTrue();
		}
		assertThat(ran).isFalse();
	}

	@Test
	void cancelledCallerDoesNotRunTheCode() {
		AtomicBoolean ran = new AtomicBoolean();
		LockHandle blocking = this.forgiving.template().acquire("key");
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			ran.set(true);
			return this.work;
		});
		await().until(() -> this.stores.isQueued("key", 1));
		result.cancel(true);
		await().until(() -> this.stores.isQueued("key", 0));
		blocking.release();
		assertThat(isLocked()).isFalse();
		assertThat(ran).isFalse();
	}

	@Test
	void codeDoesNotRunOnTheCallersThreadAlthoughTheLockIsThereAtOnce() {
		CompletableFuture<LockHandle> acquisition = this.template.acquireAsync(REQUEST);
		await().until(acquisition::isDone);
		CompletableFuture<String> result = AsyncExecution.start(acquisition, AsyncExecution.Binding.NONE, OnLost.THROW,
				null, (lock) -> CompletableFuture.completedFuture(Thread.currentThread().getName()));
		assertThat(Threads.join(result)).isEqualTo("holdfast-callback");
	}

	@Test
	void lockThatComesTooLateForTheCallerIsNotKept() {
		CompletableFuture<LockHandle> acquisition = new CompletableFuture<>();
		LockHandle lock = this.template.acquire(REQUEST.ownedByHandle().minHold(Duration.ofMinutes(1)));
		CompletableFuture<String> result = AsyncExecution.start(acquisition, AsyncExecution.Binding.NONE, OnLost.THROW,
				null, (held) -> this.work);
		acquisition.whenComplete((held, failure) -> result.cancel(false));
		acquisition.complete(lock);
		await().until(() -> !isLocked());
	}

	@Test
	void cancelReachesTheStageAndReleasesTheLock() {
		CompletableFuture<String> result = started(this.instance);
		result.cancel(true);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(this.work::join);
		await().until(() -> !isLocked());
	}

	@Test
	void callerThatTimesOutDoesNotEndTheSection() {
		CompletableFuture<String> result = started(this.instance).orTimeout(1, TimeUnit.MILLISECONDS);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Threads.join(result))
			.withCauseInstanceOf(TimeoutException.class);
		assertThat(isLocked()).isTrue();
		this.work.complete("done");
		await().until(() -> !isLocked());
	}

	@Test
	void lockIsAssertedWhileTheCodeIsStarted() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			LockAssert.assertHeld("key");
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("other"))
				.withMessageContaining("which holds 'key'");
			return CompletableFuture.completedFuture("done");
		});
		assertThat(Threads.join(result)).isEqualTo("done");
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("key"));
	}

	@Test
	void startedCodeIsGuardedAtCommit() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			this.template.ensureHeldByCurrentThread();
			this.stores.takeAway("key");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(this.template::ensureHeldByCurrentThread);
			this.template.ensureHeldByCurrentThread();
			return this.work;
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Threads.join(result));
		this.template.ensureHeldByCurrentThread();
	}

	private static final class DeafStage extends CompletableFuture<String> {

		@Override
		public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
			throw new UnsupportedOperationException("deaf");
		}

	}

	/**
	 * A registry whose handles throw when they are released.
	 */
	private static final class ThrowingRegistry extends RegistryOfUser {

		private final LockRegistry registry;

		private ThrowingRegistry(LockRegistry registry) {
			super(registry);
			this.registry = registry;
		}

		@Override
		public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
			return this.registry.acquireAsync(request).thenApply(ThrowingRegistry::throwing);
		}

		private static LockHandle throwing(LockHandle lock) {
			return (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
					new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("releaseAsync")) {
							throw new IllegalStateException("no release");
						}
						return method.invoke(lock, arguments);
					});
		}

	}

}
