package io.holdfast.aop;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers what the annotations of a bean refer to.
 */
final class LockedBeanHints {

	private final RuntimeHints hints;

	private final BeanFactory beanFactory;

	private final Class<?> type;

	LockedBeanHints(RuntimeHints hints, BeanFactory beanFactory, Class<?> type) {
		this.hints = hints;
		this.beanFactory = beanFactory;
		this.type = type;
	}

	/**
	 * Register the methods. A proxy that implements interfaces calls them through these.
	 */
	void register(List<LockedBeanAotProcessor.LockedMethod> methods) {
		this.hints.reflection()
			.registerForInterfaces(this.type, (hint) -> hint.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
		for (LockedBeanAotProcessor.LockedMethod locked : methods) {
			this.hints.reflection().registerMethod(locked.method(), ExecutableMode.INVOKE);
			locked.annotations().forEach((annotation) -> register(locked, annotation));
		}
	}

	private void register(LockedBeanAotProcessor.LockedMethod locked, MergedAnnotation<DistributedLock> annotation) {
		for (MergedAnnotation<?> source = annotation; source != null; source = source.getMetaSource()) {
			this.hints.reflection().registerType(source.getType(), MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		registerExpression(locked, annotation.getString("key"));
		registerExpression(locked, annotation.getString("condition"));
		registerFallback(annotation.getString("fallback"));
	}

	/**
	 * Register all methods of a name: which of them fits is found out at startup.
	 */
	private void registerFallback(String name) {
		Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.type))
			.filter((method) -> method.getName().equals(name))
			.forEach((method) -> this.hints.reflection().registerMethod(method, ExecutableMode.INVOKE));
	}

	private void registerExpression(LockedBeanAotProcessor.LockedMethod locked, String text) {
		if (text.isBlank()) {
			return;
		}
		ExpressionReferences references = ExpressionReferences.in(text);
		Stream<ResolvableType> parameters = IntStream.range(0, locked.method().getParameterCount())
			.mapToObj((i) -> ResolvableType.forMethodParameter(locked.method(), i, this.type));
		Stream<ResolvableType> named = Stream
			.concat(references.types().stream().map(this::typeNamed), references.beans().stream().map(this::beanType))
			.filter(Objects::nonNull)
			.map(ResolvableType::forClass);
		MemberHints members = new MemberHints(this.hints.reflection(), references.members());
		if (references.members().contains("target")) {
			members.follow(ResolvableType.forClass(this.type));
		}
		parameters.forEach(members::follow);
		named.forEach(members::follow);
	}

	private @Nullable Class<?> typeNamed(String name) {
		ClassLoader classLoader = this.type.getClassLoader();
		String full = name.contains(".") ? name : "java.lang." + name;
		Class<?> named = ClassUtils.isPresent(full, classLoader) ? ClassUtils.resolveClassName(full, classLoader)
				: null;
		if (named != null) {
			this.hints.reflection().registerType(named, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
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
