package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Tells by a method when its calls have ended.
 */
final class CallKinds {

	private static final boolean reactorPresent = ClassUtils.isPresent("reactor.core.publisher.Flux",
			CallKinds.class.getClassLoader());

	private CallKinds() {
	}

	/**
	 * Return how to run calls of a method.
	 * @param method the method, as its class declares it
	 * @param targetClass the class of the objects it is called on
	 * @throws InvalidDistributedLockException when there is no way to know when they have
	 * ended
	 */
	static CallKind of(Method method, Class<?> targetClass) {
		Class<?> type = Methods.returnType(method, targetClass);
		if (KotlinDetector.isSuspendingFunction(method)) {
			refuse(!SuspendFunctions.areSupported(), method,
					"Add io.projectreactor:reactor-core, org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
							+ " org.jetbrains.kotlin:kotlin-reflect to the class path: it is a suspend function.");
			return SuspendFunctions.callKind(method);
		}
		if (isAsync(method) || isAsync(targetClass)) {
			return new WorkerCalls();
		}
		if (type == CompletableFuture.class || type == CompletionStage.class) {
			return new StageCalls();
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter != null && reactorPresent) {
			refuse(!type.isAssignableFrom(adapter.getReactiveType()), method,
					"Return %s.".formatted(adapter.getReactiveType().getName()));
			return new PublisherCalls(adapter);
		}
		refuse(adapter != null || Flow.Publisher.class.isAssignableFrom(type), method,
				"Add io.projectreactor:reactor-core to the class path.");
		refuse(isA(type, "kotlinx.coroutines.Job") || isA(type, "kotlinx.coroutines.flow.Flow"), method,
				"Make it a suspend function, or return Deferred or Flow, and add"
						+ " org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the class path.");
		refuse(Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type), method,
				"Return CompletableFuture or CompletionStage.");
		return new PlainCalls();
	}

	private static boolean isA(Class<?> type, String className) {
		ClassLoader classLoader = type.getClassLoader();
		return classLoader != null && ClassUtils.isPresent(className, classLoader)
				&& ClassUtils.resolveClassName(className, classLoader).isAssignableFrom(type);
	}

	private static boolean isAsync(AnnotatedElement element) {
		return AnnotatedElementUtils.hasAnnotation(element, Async.class);
	}

	private static void refuse(boolean unknown, Method method, String action) {
		if (unknown) {
			throw new InvalidDistributedLockException(method,
					"is on a method that returns before its work is done, with no way to see when that is: it returns %s"
						.formatted(method.getReturnType().getName()),
					action);
		}
	}

}
