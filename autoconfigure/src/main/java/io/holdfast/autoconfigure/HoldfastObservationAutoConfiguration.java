package io.holdfast.autoconfigure;

import io.holdfast.actuate.LockNames;
import io.holdfast.actuate.LockObservationConvention;
import io.holdfast.actuate.LockObservations;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the observation of sections that run under locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ LockNames.class, ObservationRegistry.class })
public final class HoldfastObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations holdfastLockObservations(ObservationRegistry registry,
			ObjectProvider<LockObservationConvention> convention, LockNames names) {
		return new LockObservations(registry, convention.getIfAvailable(), names);
	}

}
