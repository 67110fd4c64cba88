package io.holdfast.aspectj;

import io.holdfast.aop.InvalidDistributedLockException;
import io.holdfast.aop.LockedMethods;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Locks in code that AspectJ weaves into classes. Holdfast's auto-configuration imports
 * it by its name.
 */
@Configuration(proxyBeanMethods = false)
class WeavingConfiguration {

	// Created before most other beans, so that these are checked, and may be called
	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockWeaving holdfastLockWeaving(ListableBeanFactory beanFactory, LockedMethods methods) {
		if (!LockWeaving.isPossible(beanFactory)) {
			throw new InvalidDistributedLockException(
					"'holdfast.aspect.mode' is 'aspectj', but AspectJ does not weave the classes that are loaded, and has woven"
							+ " no bean when it was compiled: methods with @DistributedLock would run without their locks.",
					"Start Java with '-javaagent:<path>/aspectjweaver-<version>.jar' (org.aspectj:aspectjweaver). If a"
							+ " META-INF/aop.xml says which classes to weave, add '<include within=\"io.holdfast.aspectj..*\"/>'"
							+ " to it. To weave at compile time instead, have AspectJ's compiler compile the beans, with"
							+ " io.holdfast:holdfast-aspectj on its aspect path. Or set 'holdfast.aspect.mode' to 'proxy'.",
					null);
		}
		return new LockWeaving(beanFactory, methods);
	}

}
