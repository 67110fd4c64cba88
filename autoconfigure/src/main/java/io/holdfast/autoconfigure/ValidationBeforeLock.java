package io.holdfast.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import io.holdfast.aop.DistributedLockAdvisor;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Lets method validation run before the key is evaluated, which could fail for what
 * validation refuses. Spring appends validation to the advisors of a proxy, whatever
 * their order. Without an order of its own, this runs after that.
 */
class ValidationBeforeLock implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised proxy && !proxy.isFrozen()) {
			List<Advisor> advisors = Arrays.asList(proxy.getAdvisors());
			int lock = indexOf(advisors, DistributedLockAdvisor.class::isInstance);
			int validation = indexOf(advisors, ValidationBeforeLock::isValidation);
			if (lock >= 0 && validation > lock) {
				proxy.removeAdvisor(validation);
				proxy.addAdvisor(lock, advisors.get(validation));
			}
		}
		return bean;
	}

	private static int indexOf(List<Advisor> advisors, Predicate<Advisor> wanted) {
		return advisors.stream().filter(wanted).mapToInt(advisors::indexOf).findFirst().orElse(-1);
	}

	private static boolean isValidation(Advisor advisor) {
		return advisor instanceof DefaultPointcutAdvisor && advisor.getAdvice() instanceof MethodValidationInterceptor;
	}

}
