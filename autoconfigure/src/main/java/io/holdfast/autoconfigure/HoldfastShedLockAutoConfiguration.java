package io.holdfast.autoconfigure;

import io.holdfast.LockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration for ShedLock's lock provider.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
@Conditional(HoldfastAutoConfiguration.OnEnabledCondition.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
public final class HoldfastShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	HoldfastLockProvider holdfastLockProvider(LockRegistry registry, HoldfastProperties properties) {
		return new HoldfastLockProvider(registry, properties.shedlock().renew());
	}

}
