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
 * Methods as users wrote them: a suspend function of Kotlin has one parameter less there
 * than in Java, and another return type.
 */
final class Methods {

	private Methods() {
	}

	// For a proxy for interfaces, the class behind it, if that implements all of them
	static Class<?> targetClass(Object target) {
		if (AopUtils.isJdkDynamicProxy(target)) {
			Class<?> behind = AopProxyUtils.ultimateTargetClass(target);
			boolean implemented = Arrays.stream(AopProxyUtils.proxiedUserInterfaces(target))
				.allMatch((contract) -> contract.isAssignableFrom(behind));
			return implemented ? behind : target.getClass();
		}
		return target.getClass();
	}

	static Class<?> userClass(Class<?> type) {
		return Proxy.isProxyClass(type) ? type.getInterfaces()[0] : ClassUtils.getUserClass(type);
	}

	// If the class behind a proxy for an interface does not implement it, the method is
	// that of the interface
	static Method specific(Method method, Class<?> targetClass) {
		return isImplemented(method, targetClass) ? AopUtils.getMostSpecificMethod(method, targetClass)
				: BridgeMethodResolver.findBridgedMethod(method);
	}

	// The methods that Spring looks at before it makes a proxy
	static Stream<Method> of(Class<?> type) {
		Stream<Class<?>> classes = Proxy.isProxyClass(type) ? Stream.of() : Stream.of(ClassUtils.getUserClass(type));
		return Stream.concat(classes, ClassUtils.getAllInterfacesForClassAsSet(type).stream())
			.flatMap((owner) -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(owner)));
	}

	static boolean isImplemented(Method method, Class<?> targetClass) {
		return !Proxy.isProxyClass(targetClass)
				&& method.getDeclaringClass().isAssignableFrom(ClassUtils.getUserClass(targetClass));
	}

	static int parameterCount(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	static Class<?> returnType(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return returnType(method);
		}
		Class<?> declared = method.getReturnType();
		return ResolvableType.forMethodReturnType(method, targetClass).resolve(declared);
	}

	static Class<?> completedType(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodReturnType(method, targetClass).getGeneric(0).resolve(Object.class);
	}

	// An Int is a number and never null
	private static Class<?> returnType(Method function) {
		Class<?> type = new MethodParameter(function, -1).getParameterType();
		boolean nullable = Nullness.forMethodReturnType(function) == Nullness.NULLABLE;
		return nullable ? type : MethodType.methodType(type).unwrap().returnType();
	}

	// Whether a value class of Kotlin arrives boxed depends on the declared type
	static @Nullable Object unboxed(@Nullable Object value) {
		Method unboxing = (value != null) ? unboxing(value.getClass()) : null;
		if (unboxing == null) {
			return value;
		}
		ReflectionUtils.makeAccessible(unboxing);
		return unboxed(ReflectionUtils.invokeMethod(unboxing, value));
	}

	private static @Nullable Method unboxing(Class<?> type) {
		return KotlinDetector.isKotlinType(type) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
	}

	static boolean isKotlin(Class<?> type, String name) {
		return type.getName().equals("kotlinx.coroutines." + name);
	}

	static String nameOf(Method method) {
		return nameOf(method, method.getDeclaringClass());
	}

	static String nameOf(Method method, Class<?> targetClass) {
		return "%s.%s%s".formatted(userClass(targetClass).getName(), method.getName(), parametersOf(method));
	}

	static String parametersOf(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.limit(parameterCount(method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	static boolean isCreation(Method method, Class<?> type) {
		return isAnnotated(method, Bean.class.getName()) || isOf(method, type, FactoryBean.class);
	}

	static boolean isDestruction(Method method, Class<?> type) {
		return isAnnotated(method, "jakarta.annotation.PreDestroy") || isOf(method, type, DisposableBean.class);
	}

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
