package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

final class LockedBeanHints {

	private final ReflectionHints hints;

	private final BeanFactory beanFactory;

	private final Class<?> type;

	LockedBeanHints(RuntimeHints hints, BeanFactory beanFactory, Class<?> type) {
		this.hints = hints.reflection();
		this.beanFactory = beanFactory;
		this.type = type;
	}

	void register(List<LockAnnotations> methods) {
		// a proxy that implements interfaces calls the methods through these
		this.hints.registerForInterfaces(this.type, (hint) -> hint.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
		for (LockAnnotations found : methods) {
			this.hints.registerMethod(found.method(), ExecutableMode.INVOKE);
			MergedAnnotations.from(found.place())
				.stream(DistributedLock.class)
				.forEach((annotation) -> register(found.method(), annotation));
		}
	}

	private void register(Method method, MergedAnnotation<DistributedLock> annotation) {
		for (MergedAnnotation<?> source = annotation; source != null; source = source.getMetaSource()) {
			this.hints.registerType(source.getType(), MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		registerExpression(method, annotation.getString("key"));
		registerExpression(method, annotation.getString("condition"));
		String fallback = annotation.getString("fallback");
		// which of them fits, is decided at startup
		Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.type))
			.filter((candidate) -> candidate.getName().equals(fallback))
			.forEach((candidate) -> this.hints.registerMethod(candidate, ExecutableMode.INVOKE));
	}

	private void registerExpression(Method method, String text) {
		if (text.isBlank()) {
			return;
		}
		ExpressionReferences references = ExpressionReferences.in(text);
		Stream<ResolvableType> parameters = IntStream.range(0, method.getParameterCount())
			.mapToObj((i) -> ResolvableType.forMethodParameter(method, i, this.type));
		Stream<Class<?>> named = Stream
			.of(references.types().stream().map(this::typeNamed), references.beans().stream().map(this::beanType),
					Stream.of(this.type).filter((target) -> references.members().contains("target")))
			.flatMap((types) -> types);
		MemberHints members = new MemberHints(this.hints, references.members());
		Stream.concat(parameters, named.filter(Objects::nonNull).map(ResolvableType::forClass))
			.forEach(members::follow);
	}

	private @Nullable Class<?> typeNamed(String name) {
		ClassLoader classLoader = this.type.getClassLoader();
		String full = name.contains(".") ? name : "java.lang." + name;
		Class<?> named = ClassUtils.isPresent(full, classLoader) ? ClassUtils.resolveClassName(full, classLoader)
				: null;
		if (named != null) {
			this.hints.registerType(named, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
		}
		return named;
	}

	private @Nullable Class<?> beanType(String name) {
		try {
			return this.beanFactory.getType(name, false);
		}
		catch (NoSuchBeanDefinitionException ex) {
			return null; // it may be there at run time
		}
	}

}
