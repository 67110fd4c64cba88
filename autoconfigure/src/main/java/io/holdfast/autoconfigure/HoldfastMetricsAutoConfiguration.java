package io.holdfast.autoconfigure;

import io.holdfast.actuate.LockGauges;
import io.holdfast.actuate.LockMetrics;
import io.holdfast.actuate.LockNames;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for metrics of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ LockEngine.class, MeterRegistry.class })
public final class HoldfastMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMetrics holdfastLockMetrics(MeterRegistry registry, LockNames names) {
		return new LockMetrics(registry, names);
	}

	@Bean
	@ConditionalOnMissingBean
	LockGauges holdfastLockGauges(ObjectProvider<LockEngine> engine) {
		return new LockGauges(SingletonSupplier.of(() -> engine.getObject().registry()));
	}

}
