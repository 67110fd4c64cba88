package io.holdfast.aop.aot;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.aop.aot.LockedBeanHints.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the beans with annotated methods while an application is processed ahead of time,
 * and has a native image keep all that their annotations refer to.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = typeOf(bean);
		List<AnnotatedMethod> methods = AnnotationUtils.isCandidateClass(type, DistributedLock.class)
				? annotatedMethods(type) : List.of();
		if (methods.isEmpty()) {
			return null;
		}
		return (context, code) -> new LockedBeanHints(context.getRuntimeHints(), bean.getBeanFactory(), type)
			.register(methods);
	}

	/**
	 * Return the class of a bean; of a factory, the type of its product.
	 */
	private static Class<?> typeOf(RegisteredBean bean) {
		Class<?> product = FactoryBean.class.isAssignableFrom(bean.getBeanClass())
				? bean.getBeanFactory().getType(bean.getBeanName(), false) : null;
		return (product != null) ? product : ClassUtils.getUserClass(bean.getBeanClass());
	}

	private static List<AnnotatedMethod> annotatedMethods(Class<?> type) {
		List<MergedAnnotation<DistributedLock>> ofType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> method.getDeclaringClass() != Object.class)
			.map((method) -> new AnnotatedMethod(method, annotations(method, ofType)))
			.filter((method) -> !method.annotations().isEmpty())
			.toList();
	}

	private static List<MergedAnnotation<DistributedLock>> annotations(Method method,
			List<MergedAnnotation<DistributedLock>> ofType) {
		Stream<MergedAnnotation<DistributedLock>> own = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class);
		return (Modifier.isPublic(method.getModifiers()) ? Stream.concat(own, ofType.stream()) : own).toList();
	}

}
