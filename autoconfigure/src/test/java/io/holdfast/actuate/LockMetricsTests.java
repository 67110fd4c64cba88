package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastMetricsAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastObservationAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.Threads;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Metrics of an application with locks in memory.
 */
@Tag("any-jdk")
class LockMetricsTests {

	private static final LockRequest ORDER = LockRequest.of("42").name("order");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastMetricsAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.key-prefix=" + getClass().getName());

	private static Timer acquire(BeanFactory context, String lock, String outcome) {
		return meters(context).get("holdfast.acquire").tag("lock", lock).tag("outcome", outcome).timer();
	}

	private static double value(BeanFactory context, String gauge) {
		return meters(context).get(gauge).gauge().value();
	}

	private static MeterRegistry meters(BeanFactory context) {
		return context.getBean(MeterRegistry.class);
	}

	private static LockTemplate locks(BeanFactory context) {
		return context.getBean(LockTemplate.class);
	}

	@Test
	void waitsAndHoldsAreMeasuredByName() {
		this.contextRunner.run((context) -> {
			locks(context).executeWithoutResult(ORDER,
					(lock) -> assertThat(value(context, "holdfast.held")).isEqualTo(1));
			locks(context).executeWithoutResult("42", LockHandle::ensureHeld);
			assertThat(value(context, "holdfast.held")).isZero();
			assertThat(acquire(context, "order", "acquired").count()).isEqualTo(1);
			assertThat(acquire(context, "none", "acquired").count()).isEqualTo(1);
			assertThat(meters(context).get("holdfast.hold").tag("lock", "order").timer().count()).isEqualTo(1);
			assertThat(
					meters(context).get("holdfast.hold").tag("lock", "none").timer().totalTime(TimeUnit.MILLISECONDS))
				.isPositive();
		});
	}

	@Test
	void nestedHoldsAreNotCounted() {
		this.contextRunner.run((context) -> {
			locks(context).executeWithoutResult(ORDER, (outer) -> locks(context).executeWithoutResult(ORDER,
					(inner) -> assertThat(value(context, "holdfast.held")).isEqualTo(1)));
			assertThat(acquire(context, "order", "acquired").count()).isEqualTo(1);
			assertThat(meters(context).get("holdfast.hold").timer().count()).isEqualTo(1);
		});
	}

	@Test
	void waitingCallersAreShownAndTheirTimeIsMeasured() {
		this.contextRunner.run((context) -> {
			LockHandle blocking = locks(context).acquire(ORDER.ownedByHandle());
			CompletableFuture<LockHandle> waiting = locks(context).acquireAsync(ORDER);
			await().until(() -> value(context, "holdfast.waiting") == 1);
			blocking.release();
			Threads.join(waiting).close();
			assertThat(value(context, "holdfast.waiting")).isZero();
			assertThat(acquire(context, "order", "acquired").max(TimeUnit.MILLISECONDS)).isPositive();
		});
	}

	@Test
	void outcomesSayWhyALockWasNotAcquired() {
		this.contextRunner.run((context) -> {
			LockHandle blocking = locks(context).acquire(ORDER.shared().ownedByHandle());
			assertThat(locks(context).tryAcquire(ORDER.waitFor(Duration.ZERO))).isEmpty();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> locks(context).acquire(ORDER));
			assertThat(Thread.interrupted()).isTrue();
			try (LockHandle reader = locks(context).acquire(ORDER.shared())) {
				assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> locks(context).acquire(ORDER));
				assertThat(reader.isHeld()).isTrue();
			}
			blocking.release();
			locks(context).acquire("42").close();
			assertThat(acquire(context, "order", "unavailable").count()).isZero();
			assertThat(acquire(context, "none", "unavailable").count()).isZero();
			context.getBean(HoldfastLockRegistry.class).stop(Duration.ZERO);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks(context).acquire(ORDER));
			for (String outcome : new String[] { "timeout", "interrupted", "refused", "unavailable" }) {
				assertThat(acquire(context, "order", outcome).count()).as(outcome).isEqualTo(1);
			}
			assertThat(acquire(context, "order", "acquired").count()).isEqualTo(2);
		});
	}

	@Test
	void lossesAreCountedFromZeroOn() {
		this.contextRunner.run((context) -> {
			locks(context).acquire(ORDER).close();
			assertThat(meters(context).get("holdfast.lost").tag("lock", "order").counter().count()).isZero();
			LockHandle lock = locks(context).acquire(ORDER);
			context.getBean(HoldfastLockRegistry.class)
				.operations()
				.forceRelease("order:42", null, Duration.ofSeconds(20));
			await().until(() -> meters(context).get("holdfast.lost").tag("lock", "order").counter().count() == 1);
			lock.release();
			assertThat(meters(context).get("holdfast.lost").counters()).hasSize(1);
		});
	}

	@Test
	void renewalsAreCountedFromZeroOn() {
		this.contextRunner.run((context) -> {
			Counter renewals = meters(context).get("holdfast.renewals").counter();
			assertThat(renewals.count()).isZero();
			assertThat(meters(context).get("holdfast.renewals.failed").counter().count()).isZero();
			try (LockHandle lock = locks(context).acquire(ORDER.lease(Duration.ofSeconds(6)))) {
				await().until(() -> renewals.count() > 0);
				assertThat(lock.isHeld()).isTrue();
			}
			context.getBean(LockGauges.class).renewalFailed(2);
			assertThat(meters(context).get("holdfast.renewals.failed").counter().count()).isEqualTo(2);
		});
	}

	@Test
	void keysMakeNoMeters() {
		this.contextRunner.run((context) -> {
			LockMeters.useAll(context);
			int before = meters(context).getMeters().size();
			IntStream.range(0, 1000)
				.forEach((i) -> locks(context).executeWithoutResult(LockRequest.of("key-" + i).name("order"),
						(lock) -> assertThat(lock.isHeld()).isTrue()));
			assertThat(meters(context).getMeters()).hasSize(before)
				.flatExtracting(Meter::getId)
				.asString()
				.doesNotContain("key-");
		});
	}

	@Test
	void observationsMakeTimersWithoutKeys() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class,
					HoldfastObservationAutoConfiguration.class))
			.run((context) -> {
				IntStream.range(0, 100)
					.forEach((i) -> locks(context).executeWithoutResult(LockRequest.of("key-" + i).name("order"),
							LockHandle::ensureHeld));
				List<Meter> timers = LockMeters.in(meters(context))
					.stream()
					.filter((meter) -> meter.getId().getName().startsWith("holdfast.lock"))
					.toList();
				assertThat(timers).hasSize(2)
					.allSatisfy((timer) -> assertThat(LockMeters.tags(timer))
						.isEqualTo(LockMeters.tagsByName().get(timer.getId().getName())));
				assertThat(meters(context).get("holdfast.lock").tag("outcome", "completed").timer().count())
					.isEqualTo(100);
			});
	}

	@Test
	void namesThatAreTooManyAreOneTogether() {
		this.contextRunner.withPropertyValues("holdfast.metrics.max-names=2").run((context) -> {
			IntStream.range(0, 1000)
				.forEach((i) -> locks(context).acquire(LockRequest.of("key").name("name-" + i)).close());
			assertThat(acquire(context, "name-0", "acquired").count()).isEqualTo(1);
			assertThat(acquire(context, "name-1", "acquired").count()).isEqualTo(1);
			assertThat(acquire(context, "other", "acquired").count()).isEqualTo(998);
			assertThat(meters(context).get("holdfast.acquire").tag("outcome", "acquired").timers()).hasSize(3);
			assertThat(meters(context).get("holdfast.acquire").timers()).hasSize(6);
		});
	}

}
