package io.holdfast.actuate;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastMetricsAutoConfiguration;
import io.holdfast.test.RedisProcess;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Metrics of what can go wrong with Redis.
 */
@Tag("slow")
class LockMetricsOnRedisTests {

	private final RedisProcess redis = new RedisProcess();

	private ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
					SimpleMetricsExportAutoConfiguration.class, DataRedisAutoConfiguration.class,
					HoldfastAutoConfiguration.class, HoldfastMetricsAutoConfiguration.class));

	@BeforeEach
	void start() {
		this.redis.start();
		this.contextRunner = this.contextRunner.withPropertyValues("spring.data.redis.client-type=jedis",
				"spring.data.redis.port=" + this.redis.port(), "holdfast.shutdown-grace=0");
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@Test
	void tellOfRenewalsThatGoThroughThenFailAndOfTheLossThatFollows() {
		this.contextRunner.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			LockRequest request = LockRequest.of("42").name("order").lease(Duration.ofSeconds(3));
			LockHandle lock = context.getBean(LockTemplate.class).acquire(request);
			await().until(() -> count(meters, "holdfast.renewals") > 0);
			assertThat(lock.isHeld()).isTrue();
			assertThat(lost(meters)).isZero();
			this.redis.kill();
			await().until(() -> count(meters, "holdfast.renewals.failed") > 0);
			await().until(() -> lost(meters) == 1);
			assertThat(lock.isHeld()).isFalse();
			lock.release();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire(request.waitFor(Duration.ZERO)));
			assertThat(meters.get("holdfast.acquire").tag("outcome", "unavailable").timer().count()).isEqualTo(1);
			assertThat(lost(meters)).isEqualTo(1);
		});
	}

	private static double count(MeterRegistry meters, String name) {
		return meters.get(name).counter().count();
	}

	private static double lost(MeterRegistry meters) {
		return meters.get("holdfast.lost").tag("lock", "order").counter().count();
	}

}
