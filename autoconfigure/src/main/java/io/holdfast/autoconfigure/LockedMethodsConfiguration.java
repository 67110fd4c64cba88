package io.holdfast.autoconfigure;

import io.holdfast.LockTemplate;
import io.holdfast.aop.ContainerCallCheck;
import io.holdfast.aop.LockedMethods;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * What proxies and woven code have in common. Each context has its own.
 */
@Configuration(proxyBeanMethods = false)
class LockedMethodsConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedMethods holdfastLockedMethods(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<AnnotationTemplate> template, ObjectProvider<LockTemplate> templatesOfUser,
			ObjectProvider<HoldfastProperties> properties, Environment environment) {
		return new LockedMethods(beanFactory, AnnotationTemplate.choose(template, templatesOfUser),
				() -> properties.getObject().toLockDefaults(environment));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ContainerCallCheck holdfastContainerCallCheck(ConfigurableListableBeanFactory beanFactory,
			Environment environment) {
		return new ContainerCallCheck(beanFactory, HoldfastProperties.Aspect.isWoven(environment));
	}

}
