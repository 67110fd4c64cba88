package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods that return before their work is done: each kind of result is what a
 * type variable stands for.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class LaterMethodTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Futures.class, Stages.class,
			Monos.class, Fluxes.class, Publishers.class, Flows.class, Audit.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@SuppressWarnings("unchecked")
	private Warehouse<Object> warehouse(Class<?> kind) {
		return (Warehouse<Object>) this.context.getBean(kind);
	}

	private boolean isLocked(String key) {
		return LocalApplication.isLocked(this.context, key);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@ParameterizedTest
	@ValueSource(classes = { Futures.class, Stages.class, Monos.class, Fluxes.class, Publishers.class, Flows.class })
	@interface EachKind {

	}

	@EachKind
	void lockIsHeldUntilTheWorkIsDone(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		CompletableFuture<List<String>> moved = Threads.start(() -> warehouse.join(warehouse.move("a")));
		await().until(() -> warehouse.calls() == 1);
		assertThat(isLocked("a")).isTrue();
		assertThat(moved).isNotDone();
		warehouse.work().complete("moved");
		assertThat(Threads.join(moved)).containsOnly("moved");
		assertThat(isLocked("a")).isFalse();
	}

	@EachKind
	void lockIsReleasedWhenTheMethodThrowsOrReturnsNull(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		assertThatIllegalStateException().isThrownBy(() -> warehouse.join(warehouse.refuse("a"))).withMessage("closed");
		assertThatIllegalStateException().isThrownBy(() -> warehouse.join(warehouse.nothing("a")))
			.withMessageContaining("null instead of a ");
		assertThat(isLocked("a")).isFalse();
	}

	@EachKind
	void badKeyIsAFailureOfTheResult(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		Object result = warehouse.move(null);
		assertThatIllegalArgumentException().isThrownBy(() -> warehouse.join(result)).withMessageContaining("#key");
		assertThat(warehouse.calls()).isZero();
	}

	@EachKind
	void methodDoesNotRunWithoutItsLock(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		warehouse.work().complete("moved");
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> warehouse.join(warehouse.move("a")));
			assertThat(warehouse.join(warehouse.moveOrSkip("a"))).isEmpty();
			assertThat(warehouse.join(warehouse.moveOrWait("a"))).singleElement().asString().startsWith("a: Lock 'a'");
			assertThatIllegalStateException().isThrownBy(() -> warehouse.join(warehouse.moveOrRefuse("a")))
				.withMessage("closed");
		});
		assertThat(warehouse.calls()).isZero();
		assertThat(warehouse.join(warehouse.moveOrSkip("a"))).containsOnly("moved");
		assertThat(warehouse.join(warehouse.moveOrWait("a"))).containsOnly("moved");
	}

	@EachKind
	void refusalWithinTheMethodIsNotItsOwn(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		warehouse.work().completeExceptionally(new LockNotAcquiredException("inner", Duration.ZERO, null));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> warehouse.join(warehouse.moveOrSkip("a")))
			.satisfies((failure) -> assertThat(failure.getKey()).isEqualTo("inner"));
		assertThat(isLocked("a")).isFalse();
	}

	@EachKind
	void conditionRunsTheMethodHereAndWithoutTheLock(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		CompletableFuture<List<String>> moved = Threads.start(() -> warehouse.join(warehouse.moveIf("a", false)));
		await().until(() -> warehouse.calls() == 1);
		assertThat(warehouse.thread()).isEqualTo("test-thread");
		assertThat(isLocked("a")).isFalse();
		warehouse.work().complete("moved");
		assertThat(Threads.join(moved)).containsOnly("moved");
	}

	@EachKind
	void adviceInsideTheLockSeesEachCall(Class<?> kind) {
		Warehouse<Object> warehouse = warehouse(kind);
		warehouse.work().complete("moved");
		warehouse.join(warehouse.move("a"));
		warehouse.join(warehouse.move("b"));
		assertThat(this.context.getBean(Audit.class).calls).containsExactly("move a", "move b");
	}

	// Futures and stages

	@Test
	void lockIsReleasedWhenTheFutureIsCancelled() {
		Futures warehouse = this.context.getBean(Futures.class);
		CompletableFuture<String> result = warehouse.move("a");
		await().until(() -> warehouse.calls() == 1);
		assertThat(warehouse.thread()).isNotEqualTo(Thread.currentThread().getName());
		assertThat(result.cancel(true)).isTrue();
		await().until(() -> !isLocked("a"));
		await().until(warehouse.work()::isCancelled);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callerThatGivesUpWhileTheLockIsWaitedForStopsTheCall(boolean cancels) {
		Futures warehouse = this.context.getBean(Futures.class);
		HoldfastLockRegistry registry = this.context.getBean(HoldfastLockRegistry.class);
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			CompletableFuture<String> result = warehouse.movePatiently("a");
			await().until(() -> registry.status().acquiring() == 1);
			assertThat(cancels ? result.cancel(true) : result.completeExceptionally(new TimeoutException())).isTrue();
			await().until(() -> registry.status().acquiring() == 0);
		});
		await().until(() -> !isLocked("a"));
		assertThat(warehouse.calls()).isZero();
	}

	// Publishers

	@Test
	void eachSubscriptionRunsTheMethodUnderALockOfItsOwn() {
		Monos warehouse = this.context.getBean(Monos.class);
		warehouse.work().complete("moved");
		Mono<String> mono = warehouse.move("a");
		assertThat(warehouse.calls()).isZero();
		assertThat(isLocked("a")).isFalse();
		assertThat(mono.repeat(2).count().block(LIMIT)).isEqualTo(3);
		assertThat(warehouse.calls()).isEqualTo(3);
		assertThat(this.context.getBean(Audit.class).calls).containsExactly("move a", "move a", "move a");
	}

	@Test
	void lockIsHeldWhileAFluxEmits() {
		Fluxes warehouse = this.context.getBean(Fluxes.class);
		warehouse.work().complete("moved");
		assertThat(warehouse.move("a").map((value) -> isLocked("a")).collectList().block(LIMIT)).containsExactly(true,
				true);
	}

	@Aspect
	static class Audit {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		@Around("execution(* io.holdfast.aop.LaterMethodTests.Warehouse.move(..))")
		Object around(ProceedingJoinPoint call) throws Throwable {
			this.calls.add("move " + call.getArgs()[0]);
			return call.proceed();
		}

	}

	abstract static class Warehouse<R> {

		private final AtomicInteger calls = new AtomicInteger();

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private volatile String thread = "none";

		CompletableFuture<String> work() {
			return this.work;
		}

		int calls() {
			return this.calls.get();
		}

		String thread() {
			return this.thread;
		}

		/**
		 * Return what stands for work.
		 */
		abstract R later(CompletableFuture<String> work);

		/**
		 * Wait for the work, and return what came of it.
		 */
		abstract List<String> join(R later);

		private R begin() {
			this.thread = Thread.currentThread().getName();
			this.calls.incrementAndGet();
			return later(this.work);
		}

		@DistributedLock("#key")
		R move(String key) {
			LockAssert.assertHeld(key);
			return begin();
		}

		@DistributedLock("#key")
		R refuse(String key) {
			throw new IllegalStateException("closed");
		}

		@DistributedLock("#key")
		R nothing(String key) {
			return null;
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		R moveOrSkip(String key) {
			return begin();
		}

		@DistributedLock(key = "#key", fallback = "instead")
		R moveOrWait(String key) {
			return begin();
		}

		R instead(String key, LockNotAcquiredException failure) {
			return later(CompletableFuture.completedFuture(key + ": " + failure.getMessage()));
		}

		@DistributedLock(key = "#key", fallback = "never")
		R moveOrRefuse(String key) {
			return begin();
		}

		R never(String key) {
			throw new IllegalStateException("closed");
		}

		@DistributedLock(key = "#key", condition = "#locked")
		R moveIf(String key, boolean locked) {
			return begin();
		}

		@DistributedLock(key = "#key", waitFor = "30s")
		R movePatiently(String key) {
			return begin();
		}

	}

	static class Futures extends Warehouse<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> later(CompletableFuture<String> work) {
			return work;
		}

		@Override
		List<String> join(CompletableFuture<String> later) {
			String result = Threads.join(later);
			return (result != null) ? List.of(result) : List.of();
		}

		/**
		 * Return one that is only good as a stage, as some stages are.
		 */
		@Override
		CompletableFuture<String> instead(String key, LockNotAcquiredException failure) {
			CompletableFuture<String> stage = new CompletableFuture<>() {

				@Override
				public CompletableFuture<String> toCompletableFuture() {
					throw new UnsupportedOperationException();
				}

			};
			stage.complete(key + ": " + failure.getMessage());
			return stage;
		}

	}

	static class Stages extends Warehouse<CompletionStage<String>> {

		@Override
		CompletionStage<String> later(CompletableFuture<String> work) {
			return work.minimalCompletionStage();
		}

		@Override
		List<String> join(CompletionStage<String> later) {
			return new Futures().join(later.toCompletableFuture());
		}

	}

	static class Monos extends Warehouse<Mono<String>> {

		@Override
		Mono<String> later(CompletableFuture<String> work) {
			return Mono.fromFuture(work);
		}

		@Override
		List<String> join(Mono<String> later) {
			return later.flux().collectList().block(LIMIT);
		}

	}

	/**
	 * Emit each result twice.
	 */
	static class Fluxes extends Warehouse<Flux<String>> {

		@Override
		Flux<String> later(CompletableFuture<String> work) {
			return Mono.fromFuture(work).repeat(1);
		}

		@Override
		List<String> join(Flux<String> later) {
			return later.distinct().collectList().block(LIMIT);
		}

	}

	static class Publishers extends Warehouse<Publisher<String>> {

		@Override
		Publisher<String> later(CompletableFuture<String> work) {
			return new Fluxes().later(work);
		}

		@Override
		List<String> join(Publisher<String> later) {
			return new Fluxes().join(Flux.from(later));
		}

	}

	static class Flows extends Warehouse<Flow.Publisher<String>> {

		@Override
		Flow.Publisher<String> later(CompletableFuture<String> work) {
			return JdkFlowAdapter.publisherToFlowPublisher(new Fluxes().later(work));
		}

		@Override
		List<String> join(Flow.Publisher<String> later) {
			return new Fluxes().join(JdkFlowAdapter.flowPublisherToFlux(later));
		}

	}

}
