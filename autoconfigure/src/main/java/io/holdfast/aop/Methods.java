package io.holdfast.aop;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Methods as users wrote them: of the class that is called, and in its own language. A
 * suspend function of Kotlin has one parameter less there than in Java, and another
 * return type.
 */
final class Methods {

	private Methods() {
	}

	/**
	 * Return the class by which the annotations of an object's methods are found. If that
	 * is a proxy for interfaces, it is the class behind it, unless that does not
	 * implement all of them.
	 */
	static Class<?> targetClass(Object target) {
		if (AopUtils.isJdkDynamicProxy(target)) {
			Class<?> behind = AopProxyUtils.ultimateTargetClass(target);
			boolean implemented = Arrays.stream(AopProxyUtils.proxiedUserInterfaces(target))
				.allMatch((contract) -> contract.isAssignableFrom(behind));
			return implemented ? behind : target.getClass();
		}
		return target.getClass();
	}

	/**
	 * Return a class as users know it: for a proxy, the one that it extends, or else its
	 * interface.
	 */
	static Class<?> userClass(Class<?> type) {
		return Proxy.isProxyClass(type) ? type.getInterfaces()[0] : ClassUtils.getUserClass(type);
	}

	/**
	 * Return the method of a class that is run. A proxy for an interface that its class
	 * does not implement generates it: there it is the one of the interface.
	 */
	static Method specific(Method method, Class<?> targetClass) {
		return isImplemented(method, targetClass) ? AopUtils.getMostSpecificMethod(method, targetClass)
				: BridgeMethodResolver.findBridgedMethod(method);
	}

	/**
	 * Return the methods by which objects of a class can be called, as Spring looks at
	 * them for a proxy.
	 */
	static Stream<Method> of(Class<?> type) {
		Stream<Class<?>> classes = Proxy.isProxyClass(type) ? Stream.of() : Stream.of(ClassUtils.getUserClass(type));
		return Stream.concat(classes, ClassUtils.getAllInterfacesForClassAsSet(type).stream())
			.flatMap((owner) -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(owner)));
	}

	static boolean isImplemented(Method method, Class<?> targetClass) {
		return !Proxy.isProxyClass(targetClass)
				&& method.getDeclaringClass().isAssignableFrom(ClassUtils.getUserClass(targetClass));
	}

	/**
	 * Return how many parameters a method has.
	 */
	static int parameterCount(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	/**
	 * Return what a method returns when it is called on an object of a class, which may
	 * say what the type variable is that the method declares.
	 */
	static Class<?> returnType(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return returnType(method);
		}
		Class<?> declared = method.getReturnType();
		return ResolvableType.forMethodReturnType(method, targetClass).resolve(declared);
	}

	/**
	 * Return what a future completes with that a method returns.
	 * @return the type; {@code Object} when it is not known
	 */
	static Class<?> completedType(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodReturnType(method, targetClass).getGeneric(0).resolve(Object.class);
	}

	/**
	 * Return what a suspend function returns: an {@code Int} is a number and never
	 * {@code null}.
	 */
	private static Class<?> returnType(Method function) {
		Class<?> type = new MethodParameter(function, -1).getParameterType();
		boolean nullable = Nullness.forMethodReturnType(function) == Nullness.NULLABLE;
		return nullable ? type : MethodType.methodType(type).unwrap().returnType();
	}

	/**
	 * Return what is in an object of a Kotlin value class, or any other object itself. It
	 * depends on the declared type whether a method gets one or the other.
	 */
	static @Nullable Object unboxed(@Nullable Object value) {
		Method unboxing = (value != null) ? unboxing(value.getClass()) : null;
		if (unboxing == null) {
			return value;
		}
		ReflectionUtils.makeAccessible(unboxing);
		return unboxed(ReflectionUtils.invokeMethod(unboxing, value));
	}

	/**
	 * Return the type of what is in a value class, or any other type itself.
	 */
	static Class<?> unboxed(Class<?> type) {
		Method unboxing = unboxing(type);
		return (unboxing != null) ? unboxed(unboxing.getReturnType()) : type;
	}

	private static @Nullable Method unboxing(Class<?> type) {
		return KotlinDetector.isKotlinType(type) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
	}

	/**
	 * Return whether a type is an array of primitives. Bytes are one value.
	 */
	static boolean isPrimitiveArray(Class<?> type) {
		return type.isArray() && type.getComponentType().isPrimitive() && type != byte[].class;
	}

	/**
	 * Return whether a type is one of the library for coroutines.
	 */
	static boolean isKotlin(Class<?> type, String name) {
		return type.getName().equals("kotlinx.coroutines." + name);
	}

	/**
	 * Return the name of a method, with its class and parameters.
	 */
	static String nameOf(Method method) {
		return nameOf(method, method.getDeclaringClass());
	}

	/**
	 * Return the name of a method, with the class of the objects it is called on.
	 */
	static String nameOf(Method method, Class<?> targetClass) {
		return "%s.%s%s".formatted(userClass(targetClass).getName(), method.getName(), parametersOf(method));
	}

	/**
	 * Return the types of the parameters of a method, in parentheses.
	 */
	static String parametersOf(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.limit(parameterCount(method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	/**
	 * Return whether a method makes beans.
	 */
	static boolean isCreation(Method method, Class<?> type) {
		return isAnnotated(method, Bean.class.getName()) || isOf(method, type, FactoryBean.class);
	}

	/**
	 * Return whether the container calls a method at the end of a bean.
	 */
	static boolean isDestruction(Method method, Class<?> type) {
		return isAnnotated(method, "jakarta.annotation.PreDestroy") || isOf(method, type, DisposableBean.class);
	}

	/**
	 * Return whether the container asks or stops a running bean by a method.
	 */
	static boolean isOfLifecycle(Method method, Class<?> type) {
		boolean declared = isOf(method, type, Phased.class) || isOf(method, type, Lifecycle.class)
				|| isOf(method, type, SmartLifecycle.class);
		return declared && !method.getName().equals("start");
	}

	static boolean isAnnotated(Method method, String annotation) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
	}

	static boolean isOf(Method method, Class<?> type, Class<?> contract) {
		return contract.isAssignableFrom(type)
				&& ClassUtils.hasMethod(contract, method.getName(), method.getParameterTypes());
	}

}
