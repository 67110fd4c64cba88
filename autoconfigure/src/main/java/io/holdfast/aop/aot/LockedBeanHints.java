package io.holdfast.aop.aot;

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
	void register(List<AnnotatedMethod> methods) {
		this.hints.reflection()
			.registerForInterfaces(this.type, (hint) -> hint.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
		for (AnnotatedMethod annotated : methods) {
			this.hints.reflection().registerMethod(annotated.method(), ExecutableMode.INVOKE);
			annotated.annotations().forEach((annotation) -> register(annotated, annotation));
		}
	}

	private void register(AnnotatedMethod annotated, MergedAnnotation<DistributedLock> annotation) {
		for (MergedAnnotation<?> source = annotation; source != null; source = source.getMetaSource()) {
			this.hints.reflection().registerType(source.getType(), MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		registerExpression(annotated, annotation.getString("key"));
		registerExpression(annotated, annotation.getString("condition"));
		registerFallback(annotation.getString("fallback"));
	}

	/**
	 * Register all methods of a name: the application decides at startup which of them
	 * fits.
	 */
	private void registerFallback(String name) {
		Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.type))
			.filter((method) -> method.getName().equals(name))
			.forEach((method) -> this.hints.reflection().registerMethod(method, ExecutableMode.INVOKE));
	}

	private void registerExpression(AnnotatedMethod annotated, String text) {
		if (text.isBlank()) {
			return;
		}
		ExpressionReferences references = ExpressionReferences.in(text);
		Stream<ResolvableType> parameters = IntStream.range(0, annotated.method().getParameterCount())
			.mapToObj((i) -> ResolvableType.forMethodParameter(annotated.method(), i, this.type));
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

	/**
	 * A method and all annotations that may count for it, some of which may not.
	 *
	 * @param method the method
	 * @param annotations its annotations and those of its type, with their sources
	 */
	record AnnotatedMethod(Method method, List<MergedAnnotation<DistributedLock>> annotations) {
	}

}
