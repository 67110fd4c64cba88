package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
	void lockIsReleasedBeforeTheCallerSeesTheResult() {
		CompletableFuture<Boolean> seen = started(this.instance).thenApply((result) -> isLocked());
		this.work.complete("done");
		assertThat(Threads.join(seen)).isFalse();
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
			.withMessageContaining("null instead of a stage");
		assertThat(isLocked()).isFalse();
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
	void lossDoesNotHideAFailure() {
		CompletableFuture<String> result = started(this.instance);
		this.stores.takeAway("key");
		this.work.completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result))
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(LockLostException.class));
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
	void stageThatCannotBeWaitedForReleasesTheLock() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> new CompletableFuture<>() {
			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new UnsupportedOperationException("deaf");
			}
		});
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> Threads.join(result));
		assertThat(isLocked()).isFalse();
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

}
