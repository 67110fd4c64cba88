package io.holdfast.autoconfigure;

import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.aop.LockedMethods;
import io.holdfast.aop.ProxyVisibilityCheck;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Locks in proxies around beans. A child context has its own, as its parent's do not see
 * its beans.
 */
@Configuration(proxyBeanMethods = false)
@Import(ProxyConfiguration.AutoProxyRegistrar.class)
class ProxyConfiguration {

	// Created before most other beans, and therefore without the properties bean: it
	// would be created too early as well
	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor holdfastLockAdvisor(LockedMethods methods, Environment environment) {
		int order = Binder.get(environment)
			.bind("holdfast.aspect.order", Integer.class)
			.orElse(HoldfastProperties.Aspect.DEFAULT_ORDER);
		return new DistributedLockAdvisor(methods, order);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ProxyVisibilityCheck holdfastProxyVisibilityCheck(ConfigurableListableBeanFactory beanFactory) {
		return new ProxyVisibilityCheck(beanFactory);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "jakarta.validation.Validator")
	static class ValidationConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static ValidationBeforeLock holdfastValidationBeforeLock() {
			return new ValidationBeforeLock();
		}

	}

	/**
	 * Sees that something makes proxies, also when {@code spring.aop.auto} is
	 * {@code false}: an annotation that is there and does nothing would be worse than
	 * none.
	 */
	static class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
