package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.Threads;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods that return a future or a stage.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class AsyncMethodTests {

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Warehouse.class, Audit.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	private final CompletableFuture<String> work = new CompletableFuture<>();

	@BeforeEach
	void handWorkIn() {
		this.warehouse.work(this.work);
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private boolean isLocked(String key) {
		return LocalApplication.isLocked(this.context, key);
	}

	private CompletableFuture<String> begun(String key) {
		CompletableFuture<String> result = this.warehouse.move(key);
		await().until(() -> this.warehouse.calls() == 1);
		return result;
	}

	@Test
	void lockIsHeldUntilTheFutureCompletes() {
		CompletableFuture<String> result = begun("a");
		assertThat(isLocked("a")).isTrue();
		assertThat(result).isNotDone();
		assertThat(this.warehouse.thread()).isNotEqualTo(Thread.currentThread().getName());
		this.work.complete("moved");
		assertThat(Threads.join(result)).isEqualTo("moved");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void lockIsReleasedWhenTheFutureIsCancelled() {
		CompletableFuture<String> result = begun("a");
		assertThat(result.cancel(true)).isTrue();
		await().until(() -> !isLocked("a"));
		assertThatExceptionOfType(CancellationException.class).isThrownBy(this.work::join);
	}

	@Test
	void lockIsReleasedWhenTheMethodThrowsOrReturnsNull() {
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(this.warehouse.refuse("a")))
			.withMessage("closed");
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(this.warehouse.nothing("a")))
			.withMessageContaining("null instead of a stage");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void badKeyIsToldByTheFuture() {
		CompletableFuture<String> result = this.warehouse.move(null);
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result)).withMessageContaining("#key");
		assertThat(this.warehouse.calls()).isZero();
	}

	@Test
	void methodDoesNotRunWithoutItsLock() {
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			CompletableFuture<String> result = this.warehouse.move("a");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> Threads.join(result));
		});
		assertThat(this.warehouse.calls()).isZero();
	}

	@Test
	void skippedCallReturnsACompletedFuture() {
		LocalApplication.whileHeldElsewhere(this.context, "a",
				() -> assertThat(Threads.join(this.warehouse.moveOrSkip("a"))).isNull());
		this.work.complete("moved");
		assertThat(Threads.join(this.warehouse.moveOrSkip("a"))).isEqualTo("moved");
	}

	@Test
	void refusalOfWhatTheMethodDoesIsNotItsOwn() {
		LockNotAcquiredException inner = new LockNotAcquiredException("inner", Duration.ZERO, null);
		this.work.completeExceptionally(inner);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.warehouse.moveOrSkip("a").join())
			.havingCause()
			.isSameAs(inner);
	}

	@Test
	void fallbackReturnsAFutureOfItsOwnOrFails() {
		LocalApplication.whileHeldElsewhere(this.context, "a",
				() -> assertThat(Threads.join(this.warehouse.moveOrWait("a"))).startsWith("a: Lock 'a'"));
		this.work.complete("moved");
		assertThat(Threads.join(this.warehouse.moveOrWait("a"))).isEqualTo("moved");
		assertThat(Threads.join(this.warehouse.moveInStages("a").toCompletableFuture())).isEqualTo("moved!");
		LocalApplication.whileHeldElsewhere(this.context, "a",
				() -> assertThatIllegalStateException().isThrownBy(() -> Threads.join(this.warehouse.moveOrRefuse("a")))
					.withMessage("closed"));
	}

	@Test
	void conditionRunsTheMethodHereAndWithoutTheLock() {
		CompletableFuture<String> result = this.warehouse.moveIf("a", false);
		assertThat(this.warehouse.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(isLocked("a")).isFalse();
		this.work.complete("moved");
		assertThat(Threads.join(result)).isEqualTo("moved");
	}

	@Test
	void adviceInsideTheLockSeesTheCall() {
		this.work.complete("moved");
		Threads.join(this.warehouse.move("a"));
		assertThat(this.context.getBean(Audit.class).calls()).containsExactly("move a");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callerThatGivesUpWhileTheLockIsWaitedForStopsTheCall(boolean cancels) {
		HoldfastLockRegistry registry = this.context.getBean(HoldfastLockRegistry.class);
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			CompletableFuture<String> result = this.warehouse.movePatiently("a");
			await().until(() -> registry.status().acquiring() == 1);
			assertThat(cancels ? result.cancel(true) : result.completeExceptionally(new TimeoutException())).isTrue();
			await().until(() -> registry.status().acquiring() == 0);
		});
		await().until(() -> !isLocked("a"));
		assertThat(this.warehouse.calls()).isZero();
	}

	@Aspect
	static class Audit {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		List<String> calls() {
			return this.calls;
		}

		@Around("execution(* io.holdfast.aop.*MethodTests.Warehouse.move(..))")
		Object around(ProceedingJoinPoint call) throws Throwable {
			this.calls.add("move " + call.getArgs()[0]);
			return call.proceed();
		}

	}

	static class Warehouse {

		private final AtomicInteger calls = new AtomicInteger();

		private volatile CompletableFuture<String> work = new CompletableFuture<>();

		private volatile String thread = "none";

		void work(CompletableFuture<String> work) {
			this.work = work;
		}

		int calls() {
			return this.calls.get();
		}

		String thread() {
			return this.thread;
		}

		private CompletableFuture<String> begin() {
			this.thread = Thread.currentThread().getName();
			this.calls.incrementAndGet();
			return this.work;
		}

		@DistributedLock("#key")
		CompletableFuture<String> move(String key) {
			LockAssert.assertHeld(key);
			return begin();
		}

		@DistributedLock("#key")
		CompletionStage<String> moveInStages(String key) {
			return begin().minimalCompletionStage().thenApply((moved) -> moved + "!");
		}

		@DistributedLock("#key")
		CompletableFuture<String> refuse(String key) {
			throw new IllegalStateException("closed");
		}

		@DistributedLock("#key")
		CompletableFuture<String> nothing(String key) {
			return null;
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		CompletableFuture<String> moveOrSkip(String key) {
			return begin();
		}

		@DistributedLock(key = "#key", fallback = "later")
		CompletableFuture<String> moveOrWait(String key) {
			return begin();
		}

		/**
		 * Return one that is only good as a stage, as some stages are.
		 */
		CompletableFuture<String> later(String key, LockNotAcquiredException failure) {
			CompletableFuture<String> stage = new CompletableFuture<>() {
				@Override
				public CompletableFuture<String> toCompletableFuture() {
					throw new UnsupportedOperationException();
				}
			};
			stage.complete(key + ": " + failure.getMessage());
			return stage;
		}

		@DistributedLock(key = "#key", fallback = "never")
		CompletableFuture<String> moveOrRefuse(String key) {
			return begin();
		}

		CompletableFuture<String> never(String key) {
			throw new IllegalStateException("closed");
		}

		@DistributedLock(key = "#key", condition = "#locked")
		CompletableFuture<String> moveIf(String key, boolean locked) {
			return begin();
		}

		@DistributedLock(key = "#key", waitFor = "30s")
		CompletableFuture<String> movePatiently(String key) {
			return begin();
		}

	}

}
