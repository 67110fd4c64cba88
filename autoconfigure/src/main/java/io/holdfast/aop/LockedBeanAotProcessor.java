package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = userClassOrProduct(bean);
		List<AnnotatedMethod> found = AnnotatedMethod.in(type);
		return found.isEmpty() ? null : (context, code) -> {
			ReflectionHints hints = context.getRuntimeHints().reflection();
			// a proxy that implements interfaces calls the methods through these
			hints.registerForInterfaces(type, (hint) -> hint.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
			found.forEach((annotations) -> register(annotations, type, hints, bean.getBeanFactory()));
		};
	}

	private static Class<?> userClassOrProduct(RegisteredBean bean) {
		Class<?> product = FactoryBean.class.isAssignableFrom(bean.getBeanClass())
				? bean.getBeanFactory().getType(bean.getBeanName(), false) : null;
		return (product != null) ? product : ClassUtils.getUserClass(bean.getBeanClass());
	}

	private static void register(AnnotatedMethod found, Class<?> type, ReflectionHints hints, BeanFactory beans) {
		Method method = found.method();
		hints.registerMethod(method, ExecutableMode.INVOKE);
		MergedAnnotations.from(found.place()).stream(DistributedLock.class).forEach((annotation) -> {
			for (MergedAnnotation<?> source = annotation; source != null; source = source.getMetaSource()) {
				hints.registerType(source.getType(), MemberCategory.INVOKE_PUBLIC_METHODS);
			}
			ExpressionHints expressions = new ExpressionHints(hints, type, method);
			expressions.register(annotation.getString("key"), beans);
			expressions.register(annotation.getString("condition"), beans);
			String fallback = annotation.getString("fallback");
			// which of them fits, is decided at startup
			Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
				.filter((candidate) -> candidate.getName().equals(fallback))
				.forEach((candidate) -> hints.registerMethod(candidate, ExecutableMode.INVOKE));
		});
	}

}
