package io.holdfast.autoconfigure;

import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "holdfast.store", havingValue = "local")
@ConditionalOnMissingBean(LockStore.class)
class LocalLockStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LocalLockStoreConfiguration.class);

	@Bean
	LocalLockStore holdfastLockStore(HoldfastProperties properties) {
		logger.warn("Locks are kept in memory (holdfast.store=local): they exclude inside this JVM only");
		return new LocalLockStore(LocalLocks.ofJvm(properties.keyPrefix()));
	}

}
