package io.holdfast.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnLost;
import io.holdfast.actuate.LockObservationContext.Outcome;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Observations of what runs under locks.
 */
@Tag("any-jdk")
class LockObservationTests extends AbstractLockObservationTests {

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

}
