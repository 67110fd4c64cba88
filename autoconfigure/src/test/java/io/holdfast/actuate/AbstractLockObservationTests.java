package io.holdfast.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastObservationAutoConfiguration;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is observed in an application with locks in memory.
 */
abstract class AbstractLockObservationTests {

	static final LockRequest ORDER = LockRequest.of("42").name("order");

	final TestObservationRegistry observed = TestObservationRegistry.create();

	final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, ObservationAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastObservationAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.wait-for=10s",
				"holdfast.key-prefix=" + getClass().getName())
		.withBean(TestObservationRegistry.class, () -> this.observed);

	final List<LockObservationContext> sections = new CopyOnWriteArrayList<>();

	@BeforeEach
	void rememberSections() {
		this.observed.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {
			@Override
			public void onStart(LockObservationContext context) {
				assertThat(context.getLowCardinalityKeyValue("outcome")).isEqualTo(KeyValue.of("outcome", "running"));
				AbstractLockObservationTests.this.sections.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext;
			}
		});
	}

	static LockTemplate locks(BeanFactory context) {
		return context.getBean(LockTemplate.class);
	}

	@Nullable Observation current() {
		return this.observed.getCurrentObservation();
	}

	/**
	 * Observe something that is to be seen in the section.
	 */
	void observeInside() {
		Observation.createNotStarted("inside", this.observed).observe(() -> {
		});
	}

	void assertInsideIsPartOfTheLock() {
		assertThat(this.observed).hasObservationWithNameEqualTo("inside")
			.that()
			.hasParentObservationContextMatching((parent) -> parent instanceof LockObservationContext);
		assertThat(current()).isNull();
	}

	void assertOneThat(String outcome) {
		assertThat(this.observed).hasNumberOfObservationsWithNameEqualTo("holdfast.lock", 1)
			.hasObservationWithNameEqualTo("holdfast.lock")
			.that()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", outcome);
	}

}
