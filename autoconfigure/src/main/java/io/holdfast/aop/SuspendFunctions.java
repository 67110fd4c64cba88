package io.holdfast.aop;

import java.lang.reflect.Method;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
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
	 * Return how to run calls of a function. Only if these are supported.
	 */
	static CallKind callKind(Method function) {
		boolean flow = Methods.returnType(function, function.getDeclaringClass())
			.getName()
			.equals("kotlinx.coroutines.flow.Flow");
		Class<?> published = flow ? Flux.class : Mono.class;
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(published);
		Assert.state(adapter != null, "Spring knows Reactor where it is on the class path");
		return new PublisherCalls(adapter);
	}

}
