package io.holdfast.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Guards commits where there can be transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ImportRuntimeHints(CommitGuardConfiguration.Hints.class)
class CommitGuardConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CommitGuardInstaller commitGuardInstaller() {
		return new CommitGuardInstaller();
	}

	/**
	 * The name by which a template finds out whether there can be transactions.
	 */
	static class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.reflection().registerType(TransactionSynchronizationManager.class);
		}

	}

}
