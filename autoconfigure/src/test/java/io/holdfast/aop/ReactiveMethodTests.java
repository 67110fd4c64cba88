package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Annotated methods that return a publisher.
 */
@Tag("slow")
class ReactiveMethodTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Warehouse.class,
			AsyncMethodTests.Audit.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	private boolean isLocked(String key) {
		return LocalApplication.isLocked(this.context, key);
	}

	@Test
	void eachSubscriptionRunsTheMethodUnderALockOfItsOwn() {
		Mono<String> mono = this.warehouse.move("a");
		assertThat(this.warehouse.calls()).isZero();
		assertThat(isLocked("a")).isFalse();
		assertThat(mono.block(LIMIT)).isEqualTo("a moved");
		assertThat(mono.repeat(2).count().block(LIMIT)).isEqualTo(3);
		assertThat(this.warehouse.calls()).isEqualTo(4);
	}

	@Test
	void adviceInsideTheLockSeesEachSubscription() {
		AsyncMethodTests.Audit audit = this.context.getBean(AsyncMethodTests.Audit.class);
		Mono<String> mono = this.warehouse.move("a");
		assertThat(audit.calls()).isEmpty();
		assertThat(mono.repeat(1).count().block(LIMIT)).isEqualTo(2);
		assertThat(audit.calls()).containsExactly("move a", "move a");
	}

	@Test
	void lockIsHeldWhileAFluxEmits() {
		List<Boolean> locked = this.warehouse.list("a").map((value) -> isLocked("a")).collectList().block(LIMIT);
		assertThat(locked).containsExactly(true, true);
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void lockIsReleasedWhenTheMethodThrowsOrReturnsNull() {
		assertThatIllegalStateException().isThrownBy(() -> this.warehouse.refuse("a").block(LIMIT))
			.withMessage("closed");
		assertThatIllegalStateException().isThrownBy(() -> this.warehouse.nothing("a").block(LIMIT))
			.withMessageContaining("null instead of a publisher");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void methodDoesNotRunWithoutItsLock() {
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.warehouse.move("a").block(LIMIT));
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.warehouse.list("a").blockLast(LIMIT));
		});
		assertThat(this.warehouse.calls()).isZero();
		assertThat(this.warehouse.move("a").block(LIMIT)).isEqualTo("a moved");
	}

	@Test
	void skippedCallIsEmpty() {
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			assertThat(this.warehouse.moveOrSkip("a").blockOptional(LIMIT)).isEmpty();
			assertThat(this.warehouse.listOrSkip("a").collectList().block(LIMIT)).isEmpty();
		});
		assertThat(this.warehouse.calls()).isZero();
		assertThat(this.warehouse.moveOrSkip("a").block(LIMIT)).isEqualTo("a moved");
		assertThat(this.warehouse.listOrSkip("a").collectList().block(LIMIT)).hasSize(2);
	}

	@Test
	void fallbackIsSubscribedToInstead() {
		LocalApplication.whileHeldElsewhere(this.context, "a", () -> {
			assertThat(this.warehouse.moveOrWait("a").block(LIMIT)).startsWith("a: Lock 'a'");
			assertThatIllegalStateException().isThrownBy(() -> this.warehouse.moveOrFail("a").block(LIMIT))
				.withMessage("closed");
		});
		assertThat(this.warehouse.moveOrWait("a").block(LIMIT)).isEqualTo("a moved");
	}

	@Test
	void refusalWithinTheMethodIsNotItsOwn() {
		LocalApplication.whileHeldElsewhere(this.context, "inner",
				() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.warehouse.nestedOrSkip("a", this.warehouse.move("inner")).block(LIMIT))
					.satisfies((failure) -> assertThat(failure.getKey()).isEqualTo("inner")));
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void badKeyIsToldToTheSubscriber() {
		Mono<String> mono = this.warehouse.move(null);
		assertThatIllegalArgumentException().isThrownBy(() -> mono.block(LIMIT)).withMessageContaining("#key");
	}

	@Test
	void conditionRunsTheMethodWithoutTheLock() {
		assertThat(this.warehouse.lockedIf("a", true, () -> isLocked("a")).block(LIMIT)).isTrue();
		assertThat(this.warehouse.lockedIf("a", false, () -> isLocked("a")).block(LIMIT)).isFalse();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void otherPublishersWorkAsWell() {
		assertThat(Flux.from(this.warehouse.publisher("a")).collectList().block(LIMIT)).containsExactly("a moved");
		assertThat(JdkFlowAdapter.flowPublisherToFlux(this.warehouse.flow("a")).collectList().block(LIMIT))
			.containsExactly("a 1", "a 2");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void typeVariableMayStandForAPublisher() {
		try (AnnotationConfigApplicationContext other = LocalApplication.start(Inventory.class)) {
			Inventory inventory = other.getBean(Inventory.class);
			LockRegistry registry = other.getBean(LockRegistry.class);
			assertThat(inventory.run("a", () -> registry.held().size()).block(LIMIT)).isOne();
			LocalApplication.whileHeldElsewhere(other, "a",
					() -> assertThat(inventory.run("a", () -> 1).blockOptional(LIMIT)).isEmpty());
		}
	}

	abstract static class Store<R> {

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		R run(String key, Callable<Integer> action) {
			return begin(action);
		}

		abstract R begin(Callable<Integer> action);

	}

	static class Inventory extends Store<Mono<Integer>> {

		@Override
		Mono<Integer> begin(Callable<Integer> action) {
			return Mono.fromCallable(action);
		}

	}

	static class Warehouse {

		private final AtomicInteger calls = new AtomicInteger();

		int calls() {
			return this.calls.get();
		}

		@DistributedLock("#key")
		Mono<String> move(String key) {
			LockAssert.assertHeld(key);
			this.calls.incrementAndGet();
			return Mono.just(key + " moved");
		}

		@DistributedLock("#key")
		Flux<String> list(String key) {
			this.calls.incrementAndGet();
			return Flux.just(key + " 1", key + " 2");
		}

		@DistributedLock("#key")
		Mono<String> fail(String key) {
			return Mono.error(new IllegalStateException("closed"));
		}

		@DistributedLock("#key")
		Mono<String> refuse(String key) {
			throw new IllegalStateException("closed");
		}

		@DistributedLock("#key")
		Mono<String> nothing(String key) {
			return null;
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		Mono<String> moveOrSkip(String key) {
			return move(key);
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		Flux<String> listOrSkip(String key) {
			return list(key);
		}

		@DistributedLock(key = "#key", fallback = "later")
		Mono<String> moveOrWait(String key) {
			return move(key);
		}

		Mono<String> later(String key, LockNotAcquiredException failure) {
			return Mono.just(key + ": " + failure.getMessage());
		}

		@DistributedLock(key = "#key", fallback = "fail")
		Mono<String> moveOrFail(String key) {
			return move(key);
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		Mono<String> nestedOrSkip(String key, Mono<String> inner) {
			return inner;
		}

		@DistributedLock(key = "#key", condition = "#locked")
		Mono<Boolean> lockedIf(String key, boolean locked, BooleanSupplier action) {
			return Mono.fromCallable(action::getAsBoolean);
		}

		@DistributedLock("#key")
		Publisher<String> publisher(String key) {
			return move(key);
		}

		@DistributedLock("#key")
		Flow.Publisher<String> flow(String key) {
			return JdkFlowAdapter.publisherToFlowPublisher(list(key));
		}

	}

}
