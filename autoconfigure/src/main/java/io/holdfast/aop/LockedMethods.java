package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;

/**
 * Finds the annotated methods of an application. The annotations of each are read and
 * checked once.
 *
 * @since 0.1.0
 */
public final class LockedMethods {

	private final ConcurrentHashMap<MethodClassKey, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

	private final LockAnnotationParser parser;

	private final Supplier<LockTemplate> template;

	private final LockedMethodFactory factory;

	/**
	 * Find the methods of an application.
	 * @param beanFactory what placeholders and beans in annotations refer to
	 * @param template what runs the methods; obtained when one is called, or required
	 * @param defaults what annotations leave open; obtained when needed
	 */
	public LockedMethods(ConfigurableBeanFactory beanFactory, Supplier<LockTemplate> template,
			Supplier<LockDefaults> defaults) {
		this.parser = new LockAnnotationParser(beanFactory, defaults);
		this.template = new LazyLockTemplate(template);
		this.factory = new LockedMethodFactory(this.template);
	}

	/**
	 * Return whether a method has annotations, without checking them.
	 * @param method the method, as its class declares it
	 * @param targetClass the class of the objects it is called on
	 * @return whether it has any
	 */
	public static boolean isAnnotated(Method method, Class<?> targetClass) {
		return AnnotatedMethod.of(method, targetClass) != null;
	}

	/**
	 * Return the annotated methods of a class, own and inherited, without checking them.
	 * @param targetClass the class
	 * @return the methods, as their classes declare them
	 */
	public static Stream<Method> annotatedIn(Class<?> targetClass) {
		return AnnotatedMethod.in(targetClass).stream().map(AnnotatedMethod::method);
	}

	/**
	 * Return the annotated methods of a class, own and inherited. All of them are
	 * checked, also those that a proxy would ask for at the first call only.
	 * @param targetClass the class
	 * @return the methods, as their classes declare them
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	public List<Method> findIn(Class<?> targetClass) {
		List<Method> found = annotatedIn(targetClass).toList();
		found.forEach((method) -> get(method, targetClass));
		return found;
	}

	/**
	 * Return what runs the calls of a method.
	 * @param method the method, as it is called
	 * @param targetClass the class of the objects it is called on
	 * @return what runs it, or {@code null} when it has no annotations
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	public @Nullable LockedMethod get(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockedMethod> known = this.methods.get(key);
		if (known == null) {
			Method specific = Methods.specific(method, targetClass);
			known = Optional
				.ofNullable(specific.equals(method) ? read(method, targetClass) : get(specific, targetClass));
			this.methods.put(key, known);
		}
		return known.orElse(null);
	}

	/**
	 * Obtain what runs the methods that were found, if there are any.
	 * @throws InvalidDistributedLockException when it is not clear which template is
	 * meant
	 */
	public void requireTemplate() {
		if (this.methods.values().stream().anyMatch(Optional::isPresent)) {
			this.template.get();
		}
	}

	// A method may have been found by several names
	void forEachLease(BiConsumer<Method, Duration> consumer) {
		Map<Method, Duration> leases = new LinkedHashMap<>();
		for (Optional<LockedMethod> known : this.methods.values()) {
			known.ifPresent((method) -> putLease(method, leases));
		}
		leases.forEach(consumer);
	}

	private static void putLease(LockedMethod method, Map<Method, Duration> leases) {
		Duration lease = method.plan().renewedLease();
		if (lease != null) {
			leases.merge(method.method(), lease, BinaryOperator.minBy(Comparator.naturalOrder()));
		}
	}

	private @Nullable LockedMethod read(Method method, Class<?> targetClass) {
		AnnotatedMethod found = AnnotatedMethod.of(method, targetClass);
		return (found != null) ? this.factory.create(method, targetClass, () -> this.parser.parse(found)) : null;
	}

}
