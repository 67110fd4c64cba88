package io.holdfast.autoconfigure;

import io.holdfast.integration.IntegrationLockRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Auto-configuration for Spring Integration's lock registry.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean(LockEngine.class)
public final class HoldfastIntegrationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	IntegrationLockRegistry holdfastIntegrationLockRegistry(LockEngine engine, HoldfastProperties properties) {
		return new IntegrationLockRegistry(engine.registry(), properties.lease());
	}

}
