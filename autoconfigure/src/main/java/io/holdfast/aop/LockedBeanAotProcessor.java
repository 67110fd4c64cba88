package io.holdfast.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * Has a native image keep all that the annotations of a bean refer to.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = userClassOrProduct(bean);
		List<LockAnnotations> found = LockAnnotations.in(type);
		return found.isEmpty() ? null : (context,
				code) -> new LockedBeanHints(context.getRuntimeHints(), bean.getBeanFactory(), type).register(found);
	}

	private static Class<?> userClassOrProduct(RegisteredBean bean) {
		Class<?> product = FactoryBean.class.isAssignableFrom(bean.getBeanClass())
				? bean.getBeanFactory().getType(bean.getBeanName(), false) : null;
		return (product != null) ? product : ClassUtils.getUserClass(bean.getBeanClass());
	}

}
