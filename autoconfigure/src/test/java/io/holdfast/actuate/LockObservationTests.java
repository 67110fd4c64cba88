package io.holdfast.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.actuate.LockObservationContext.Outcome;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastObservationAutoConfiguration;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Observations of what runs under locks, in an application with locks in memory.
 */
@Tag("any-jdk")
class LockObservationTests {

	private static final LockRequest ORDER = LockRequest.of("42").name("order");

	private final TestObservationRegistry observed = TestObservationRegistry.create();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, ObservationAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastObservationAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.wait-for=10s",
				"holdfast.key-prefix=" + getClass().getName())
		.withBean(TestObservationRegistry.class, () -> this.observed);

	private final List<LockObservationContext> sections = new CopyOnWriteArrayList<>();

	@BeforeEach
	void rememberSections() {
		this.observed.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {
			@Override
			public void onStart(LockObservationContext context) {
				assertThat(context.getLowCardinalityKeyValue("outcome")).isEqualTo(KeyValue.of("outcome", "running"));
				LockObservationTests.this.sections.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext;
			}
		});
	}

	private static LockTemplate locks(BeanFactory context) {
		return context.getBean(LockTemplate.class);
	}

	private @Nullable Observation current() {
		return this.observed.getCurrentObservation();
	}

	/**
	 * Observe something that is to be seen in the section.
	 */
	private void observeInside() {
		Observation.createNotStarted("inside", this.observed).observe(() -> {
		});
	}

	private void assertInsideIsPartOfTheLock() {
		assertThat(this.observed).hasObservationWithNameEqualTo("inside")
			.that()
			.hasParentObservationContextMatching((parent) -> parent instanceof LockObservationContext);
		assertThat(current()).isNull();
	}

	private void assertOneThat(String outcome) {
		assertThat(this.observed).hasNumberOfObservationsWithNameEqualTo("holdfast.lock", 1)
			.hasObservationWithNameEqualTo("holdfast.lock")
			.that()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", outcome);
	}

	@Test
	void sectionIsObservedWithItsKeyInSpansOnly() {
		this.contextRunner.run((context) -> {
			long token = locks(context).execute(ORDER, LockHandle::fencingToken);
			assertOneThat("completed");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.hasContextualNameEqualTo("lock order")
				.hasOnlyKeys("lock", "mode", "outcome", "key", "token")
				.hasLowCardinalityKeyValue("lock", "order")
				.hasLowCardinalityKeyValue("mode", "exclusive")
				.hasHighCardinalityKeyValue("key", "order:42")
				.hasHighCardinalityKeyValue("token", Long.toString(token))
				.doesNotHaveError();
		});
	}

	@Test
	void severalKeysAreToldInTheirOrder() {
		this.contextRunner.run((context) -> {
			String tokens = locks(context).execute(LockRequest.of("b", "a").shared(),
					(lock) -> lock.fencingToken("b") + ", " + lock.fencingToken("a"));
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.hasContextualNameEqualTo("lock")
				.hasLowCardinalityKeyValue("lock", "none")
				.hasLowCardinalityKeyValue("mode", "shared")
				.hasHighCardinalityKeyValue("key", "b, a")
				.hasHighCardinalityKeyValue("token", tokens);
		});
	}

	@Test
	void failureIsAnError() {
		IllegalStateException failure = new IllegalStateException("no");
		this.contextRunner.run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> locks(context).execute(ORDER, (lock) -> {
				throw failure;
			})).isSameAs(failure);
			assertOneThat("failed");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock").that().hasError(failure);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "throw", "log" })
	void lossIsAnError(String onLost) {
		this.contextRunner.withPropertyValues("holdfast.on-lost=" + onLost).run((context) -> {
			try {
				locks(context).executeWithoutResult(ORDER,
						(lock) -> context.getBean(HoldfastLockRegistry.class)
							.operations()
							.forceRelease("order:42", null, Duration.ofSeconds(20)));
			}
			catch (LockLostException ex) {
				assertThat(onLost).isEqualTo("throw");
			}
			assertOneThat("lost");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.thenError()
				.isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void releaseThatHasNotReachedRedisIsAnErrorOfACompletedSection() {
		List<FaultyStore> networks = new ArrayList<>();
		LockObservations observations = new LockObservations(this.observed, null, new LockNames(1));
		try (TestInstance instance = new TestInstance((id) -> {
			networks.add(new FaultyStore(new LocalStores().open(id)));
			return networks.get(0);
		})) {
			LockTemplate locks = new LockTemplate(instance.registry(), OnLost.THROW, true, observations);
			networks.get(0).loseRequests(Operation.RELEASE, 1);
			locks.executeWithoutResult(ORDER, LockHandle::ensureHeld);
			assertOneThat("completed");
			assertThat(this.sections.get(0).getError()).isInstanceOf(LockUnavailableException.class);
			IllegalStateException failure = new IllegalStateException("no");
			networks.get(0).loseRequests(Operation.RELEASE, 1);
			assertThatIllegalStateException().isThrownBy(() -> locks.execute(LockRequest.of("other"), (lock) -> {
				throw failure;
			})).isSameAs(failure);
			assertThat(this.sections.get(1).getOutcome()).isEqualTo(Outcome.FAILED);
			assertThat(this.sections.get(1).getError()).isSameAs(failure);
		}
	}

	@Test
	void lockThatIsNotAcquiredHasNoSection() {
		this.contextRunner.run((context) -> {
			LockHandle blocking = locks(context).acquire(ORDER.ownedByHandle());
			assertThat(locks(context).tryExecute(ORDER, LockHandle::isHeld)).isEmpty();
			blocking.release();
			assertThat(this.observed).doesNotHaveAnyObservation();
		});
	}

	@Test
	void whatIsObservedInsideIsPartOfTheSectionWhichIsPartOfWhatIsOutside() {
		this.contextRunner.run((context) -> {
			Observation.createNotStarted("outside", this.observed)
				.observe(() -> locks(context).executeWithoutResult(ORDER, (lock) -> observeInside()));
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.hasParentObservationContextMatching((parent) -> "outside".equals(parent.getName()));
			assertInsideIsPartOfTheLock();
		});
	}

	@Test
	void asynchronousSectionIsPartOfWhatItsCallerDoes() {
		this.contextRunner.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = Observation.createNotStarted("outside", this.observed)
				.observe(() -> locks(context).executeAsync(ORDER, (lock) -> {
					observeInside();
					return work;
				}));
			assertThat(current()).isNull();
			work.complete("result");
			assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("result");
			assertOneThat("completed");
			assertThat(this.observed).hasObservationWithNameEqualTo("holdfast.lock")
				.that()
				.hasParentObservationContextMatching((parent) -> "outside".equals(parent.getName()));
			assertInsideIsPartOfTheLock();
		});
	}

	@Test
	void conventionOfTheApplicationWins() {
		this.contextRunner.withBean(LockObservationConvention.class, () -> new DefaultLockObservationConvention() {
			@Override
			public String getName() {
				return "guarded";
			}

			@Override
			public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
				return KeyValues.of("keys", Integer.toString(context.getKeys().size()));
			}
		}).run((context) -> {
			locks(context).executeWithoutResult(ORDER, LockHandle::ensureHeld);
			assertThat(this.observed).hasSingleObservationThat()
				.hasNameEqualTo("guarded")
				.hasHighCardinalityKeyValue("keys", "1")
				.doesNotHaveHighCardinalityKeyValueWithKey("key");
		});
	}

	// Annotated methods

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
