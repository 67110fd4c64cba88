package io.holdfast.test;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for locks in memory of one application context, with
 * {@link AutoConfigureLocks @AutoConfigureLocks} only.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = HoldfastAutoConfiguration.class)
public final class TestLocksAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockStore.class)
	LocalLockStore holdfastLockStore() {
		return new LocalLockStore(new LocalLocks());
	}

	@Bean
	AcquisitionPlaces holdfastAcquisitionPlaces() {
		return new AcquisitionPlaces();
	}

}
