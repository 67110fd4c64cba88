package io.holdfast.actuate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.test.Threads;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Observations of annotated methods, and of what they return.
 */
@Tag("any-jdk")
class AnnotatedMethodObservationTests extends AbstractLockObservationTests {

	@ParameterizedTest
	@ValueSource(strings = { "plain", "stage", "mono", "flux" })
	void annotatedMethodIsObserved(String kind) {
		this.contextRunner.withBean(Work.class).run((context) -> {
			assertThat(call(context.getBean(Work.class), kind, this::observeInside)).isEqualTo("result");
			assertOneThat("completed");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.hasLowCardinalityKeyValue("lock", "work")
				.hasHighCardinalityKeyValue("key", "work:" + kind);
			assertInsideIsPartOfTheLock();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "stage", "mono", "flux" })
	void failureOfAnAnnotatedMethodIsAnError(String kind) {
		this.contextRunner.withBean(Work.class).run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> call(context.getBean(Work.class), kind, () -> {
				throw new IllegalStateException("no");
			}));
			assertOneThat("failed");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.thenError()
				.hasMessage("no");
		});
	}

	/**
	 * With {@code spring.reactor.context-propagation=auto}, and without.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void subscriptionIsPartOfItsContextsObservationWhereThatIsPropagated(boolean propagated) {
		this.contextRunner.withBean(Work.class).run((context) -> {
			Observation outside = Observation.start("outside", this.observed);
			if (propagated) {
				Hooks.enableAutomaticContextPropagation();
			}
			try {
				Mono<String> mono = context.getBean(Work.class).mono("key", () -> {
				}).contextWrite((written) -> written.put(ObservationThreadLocalAccessor.KEY, outside));
				assertThat(mono.toFuture()).succeedsWithin(Duration.ofSeconds(10));
			}
			finally {
				Hooks.disableAutomaticContextPropagation();
				outside.stop();
			}
			assertOneThat("completed");
			assertThat(outside.equals(this.sections.get(0).getParentObservation())).isEqualTo(propagated);
		});
	}

	@Test
	void cancelledSubscriptionEndsItsObservation() {
		this.contextRunner.withBean(Work.class).run((context) -> {
			Mono<String> mono = context.getBean(Work.class).never("key");
			Disposable subscription = mono.subscribe();
			await().until(() -> !this.sections.isEmpty());
			subscription.dispose();
			await().until(() -> context.getBean(LockRegistry.class).held().isEmpty());
			await().untilAsserted(() -> assertOneThat("failed"));
		});
	}

	private static @Nullable Object call(Work work, String kind, Runnable body) {
		return switch (kind) {
			case "plain" -> work.plain(kind, body);
			case "stage" -> Threads.join(work.stage(kind, body));
			case "mono" -> work.mono(kind, body).block(Duration.ofSeconds(10));
			default -> work.flux(kind, body).blockLast(Duration.ofSeconds(10));
		};
	}

	static class Work {

		@DistributedLock(name = "work", key = "#key")
		String plain(String key, Runnable body) {
			body.run();
			return "result";
		}

		@DistributedLock(name = "work", key = "#key")
		CompletableFuture<String> stage(String key, Runnable body) {
			body.run();
			return CompletableFuture.completedFuture("result");
		}

		@DistributedLock(name = "work", key = "#key")
		Mono<String> mono(String key, Runnable body) {
			body.run();
			return Mono.just("result");
		}

		@DistributedLock(name = "work", key = "#key")
		Flux<String> flux(String key, Runnable body) {
			body.run();
			return Flux.just("one", "result");
		}

		@DistributedLock(name = "work", key = "#key")
		Mono<String> never(String key) {
			return Mono.never();
		}

	}

}
