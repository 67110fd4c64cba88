package io.holdfast.autoconfigure;

import io.holdfast.LockTemplate;
import io.holdfast.aop.ContainerCallCheck;
import io.holdfast.aop.LockedMethods;
import io.holdfast.aop.weaving.LockWeaving;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Locks in code that AspectJ weaves into classes.
 */
@Configuration(proxyBeanMethods = false)
class WeavingConfiguration {

	// Created before most other beans, so that these are checked, and may be called
	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockWeaving holdfastLockWeaving(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<AnnotationTemplate> template, ObjectProvider<LockTemplate> templatesOfUser,
			ObjectProvider<HoldfastProperties> properties, Environment environment) {
		boolean aspectj = ClassUtils.isPresent("org.aspectj.lang.Aspects", LockWeaving.class.getClassLoader());
		if (!aspectj || !LockWeaving.isPossible(beanFactory)) {
			throw MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException.weaver();
		}
		return new LockWeaving(new LockedMethods(beanFactory, AnnotationTemplate.orElse(template, templatesOfUser),
				() -> properties.getObject().toLockDefaults(environment)));
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ContainerCallCheck holdfastContainerCallCheck(ConfigurableListableBeanFactory beanFactory) {
		return new ContainerCallCheck(beanFactory, LockLifecycle.PHASE, true);
	}

}
