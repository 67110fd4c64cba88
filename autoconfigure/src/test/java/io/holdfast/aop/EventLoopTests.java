package io.holdfast.aop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import io.holdfast.test.Threads;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks of a thread where there is no thread to hold them: on event loops, and for
 * results that are work still to be done.
 */
class EventLoopTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Counter.class);

	private final LockTemplate template = this.context.getBean(LockTemplate.class);

	private final Scheduler eventLoop = Schedulers.newParallel("event-loop", 1);

	@AfterEach
	void close() {
		this.eventLoop.dispose();
		this.context.close();
	}

	private <T> T onEventLoop(Callable<T> action) {
		return Mono.fromCallable(action).subscribeOn(this.eventLoop).block(LIMIT);
	}

	@ParameterizedTest
	@MethodSource
	void everyWayThatBlocksIsRefused(Attempt attempt) {
		assertThatIllegalStateException().isThrownBy(() -> onEventLoop(() -> attempt.acquire(this.context)))
			.withMessageContainingAll("k' cannot be acquired by thread 'event-loop-", "', which must not block: use "
					+ "ReactiveLockTemplate, LockTemplate.executeAsync or acquireAsync");
		assertThat(this.context.getBean(LockRegistry.class).held()).isEmpty();
	}

	static Stream<Named<Attempt>> everyWayThatBlocksIsRefused() {
		Duration moment = Duration.ofMillis(1);
		return Stream.of(template("acquire", (template) -> template.acquire("k")),
				template("tryAcquire", (template) -> template.tryAcquire("k")),
				template("owned by its handle", (template) -> template.tryAcquire(LockRequest.of("k").ownedByHandle())),
				template("execute", (template) -> template.execute("k", (lock) -> 1)),
				template("tryExecute", (template) -> template.tryExecute("k", (lock) -> 1)),
				registry("tryAcquire", (registry) -> registry.tryAcquire(LockRequest.of("k"))),
				registry("lock", (registry) -> run(registry.lock("k")::lock)),
				registry("tryLock", (registry) -> registry.lock("k").tryLock()),
				registry("fair tryLock with a wait", (registry) -> registry.fairLock("k").tryLock(1, TimeUnit.SECONDS)),
				registry("readLock", (registry) -> registry.readWriteLock("k").readLock().tryLock(moment)),
				registry("multiLock", (registry) -> run(registry.multiLock("k")::lockInterruptibly)),
				registry("Spring Integration",
						(registry) -> new IntegrationLockRegistry(registry, LIMIT).obtain("k").tryLock()),
				registry("ShedLock",
						(registry) -> new HoldfastLockProvider(registry, true)
							.lock(new LockConfiguration(Instant.now(), "k", LIMIT, Duration.ZERO))),
				Named.of("annotated method", (context) -> context.getBean(Counter.class).count()),
				Named.of("annotated method that skips", (context) -> context.getBean(Counter.class).countOrSkip()));
	}

	private static Named<Attempt> template(String name, Function<LockTemplate, Object> attempt) {
		return Named.of(name, (context) -> attempt.apply(context.getBean(LockTemplate.class)));
	}

	private interface OnRegistry {

		Object acquire(LockRegistry registry) throws Exception;

	}

	private static Named<Attempt> registry(String name, OnRegistry attempt) {
		return Named.of(name, (context) -> attempt.acquire(context.getBean(LockRegistry.class)));
	}

	private interface Step {

		void run() throws Exception;

	}

	private static boolean run(Step step) throws Exception {
		step.run();
		return true;
	}

	interface Attempt {

		Object acquire(AnnotationConfigApplicationContext context) throws Exception;

	}

	@Test
	void asynchronousWaysWorkThere() {
		assertThat(onEventLoop(() -> this.template.executeAsync(LockRequest.of("k"),
				(lock) -> CompletableFuture.completedFuture(lock.isHeld()))))
			.succeedsWithin(LIMIT)
			.isEqualTo(true);
		assertThat(onEventLoop(() -> this.context.getBean(Counter.class).countLater()).block(LIMIT)).isOne();
	}

	@ParameterizedTest
	@MethodSource
	void resultThatIsWorkStillToBeDoneIsRefused(Object result) {
		List<Step> ways = List.of(() -> this.template.execute("k", (lock) -> result),
				() -> this.template.tryExecute("k", (lock) -> result),
				() -> this.context.getBean(Counter.class).count(result));
		ways.forEach((way) -> {
			assertThatIllegalStateException().isThrownBy(way::run)
				.withMessageContainingAll("The code under lock 'k' returned a", result.getClass().getName(),
						"use ReactiveLockTemplate for a publisher, LockTemplate.executeAsync for a CompletionStage");
			assertThat(Threads.call(() -> this.template.tryExecute("k", (lock) -> true))).isPresent();
		});
	}

	static Stream<Named<Object>> resultThatIsWorkStillToBeDoneIsRefused() {
		Callable<Integer> callable = () -> 1;
		return Stream.of(Named.of("stage", new CompletableFuture<>().minimalCompletionStage()),
				Named.of("Mono", Mono.just(1)), Named.of("Flux", Flux.just(1)), Named.of("Callable", callable),
				Named.of("JDK's publisher", JdkFlowAdapter.publisherToFlowPublisher(Flux.just(1))));
	}

	@Test
	void futureThatIsRefusedIsCancelled() {
		CompletableFuture<Integer> work = new CompletableFuture<>();
		assertThatIllegalStateException().isThrownBy(() -> this.template.execute("k", (lock) -> work));
		assertThat(work).isCancelled();
	}

	static class Counter {

		@DistributedLock("'k'")
		int count() {
			return 1;
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
		int countOrSkip() {
			return 1;
		}

		@DistributedLock("'k'")
		Object count(Object result) {
			return result;
		}

		@DistributedLock("'k'")
		Mono<Integer> countLater() {
			return Mono.just(1);
		}

	}

}
