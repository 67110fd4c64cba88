package io.holdfast.aop;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Suspend functions of Kotlin as Java sees them: with one parameter more, the
 * continuation. Spring has interceptors see them return a publisher, for which it needs
 * more than the language.
 */
final class SuspendFunctions {

	private static final boolean supported = isPresent("reactor.core.publisher.Flux")
			&& isPresent("kotlinx.coroutines.reactor.MonoKt") && KotlinDetector.isKotlinReflectPresent();

	private SuspendFunctions() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, SuspendFunctions.class.getClassLoader());
	}

	static boolean areSupported() {
		return supported;
	}

	/**
	 * Return how many parameters a method has in its own language.
	 */
	static int parameterCount(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	/**
	 * Return what a function returns in its own language: an {@code Int} is a number and
	 * never {@code null}.
	 */
	static Class<?> returnType(Method method) {
		Class<?> type = new MethodParameter(method, -1).getParameterType();
		boolean nullable = Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
		return nullable ? type : MethodType.methodType(type).unwrap().returnType();
	}

	/**
	 * Return how to run calls of a function. Only if these are supported.
	 */
	static CallKind callKind(Method function) {
		Class<?> published = returnsFlow(function) ? Flux.class : Mono.class;
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(published);
		Assert.state(adapter != null, "Spring knows Reactor where it is on the class path");
		return new PublisherCalls(adapter);
	}

	static boolean returnsFlow(Method function) {
		return returnType(function).getName().equals("kotlinx.coroutines.flow.Flow");
	}

}
