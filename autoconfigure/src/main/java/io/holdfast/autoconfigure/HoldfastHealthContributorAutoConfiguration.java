package io.holdfast.autoconfigure;

import io.holdfast.actuate.LocksHealthIndicator;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockEngine.class)
@ConditionalOnEnabledHealthIndicator("locks")
public final class HoldfastHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(value = LocksHealthIndicator.class,
			name = { "locksHealthIndicator", "locksHealthContributor" })
	LocksHealthIndicator locksHealthIndicator(LockEngine engine) {
		return new LocksHealthIndicator(engine.registry());
	}

}
