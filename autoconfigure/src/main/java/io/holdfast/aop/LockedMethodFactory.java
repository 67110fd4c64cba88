package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.holdfast.LaterWork;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * What a method returns says when its calls have ended, and so which class runs them.
 */
final class LockedMethodFactory {

	private static final boolean reactorPresent = isPresent("reactor.core.publisher.Flux");

	// Interceptors see a suspend function as a method that returns a publisher. Spring
	// needs these libraries for that
	private static final boolean suspendFunctionsSupported = reactorPresent
			&& isPresent("kotlinx.coroutines.reactor.MonoKt") && KotlinDetector.isKotlinReflectPresent();

	private final Supplier<LockTemplate> template;

	LockedMethodFactory(Supplier<LockTemplate> template) {
		this.template = template;
	}

	// The plan is made last: parameter names may come from libraries that the method
	// needs
	LockedMethod create(Method method, Class<?> targetClass, Supplier<LockPlan> plan) {
		ResolvableType returned = ResolvableType.forMethodReturnType(method, targetClass);
		refuse(hasLaterContent(returned), method, returned.getType(), "Annotate a method that does the work itself.");
		if (KotlinDetector.isSuspendingFunction(method)) {
			return suspendFunction(method, targetClass, plan);
		}
		if (isAsync(method) || isAsync(targetClass)) {
			return new WorkerMethod(method, plan.get(), this.template);
		}
		Class<?> type = Methods.returnType(method, targetClass);
		if (type == CompletableFuture.class || type == CompletionStage.class) {
			return new StageMethod(method, plan.get(), this.template);
		}
		ReactiveAdapter adapter = adapter(type);
		if (adapter != null && reactorPresent) {
			refuse(!type.isAssignableFrom(adapter.getReactiveType()), method,
					"Return %s.".formatted(adapter.getReactiveType().getName()));
			return new PublisherMethod(method, plan.get(), this.template, adapter);
		}
		LaterWork later = LaterWork.of(type);
		if (later != null) {
			refuse(true, method, adviceFor(later));
		}
		return new PlainMethod(method, plan.get(), this.template);
	}

	// A suspend function has ended when it returns, but for the elements of a flow
	private LockedMethod suspendFunction(Method function, Class<?> targetClass, Supplier<LockPlan> plan) {
		if (!suspendFunctionsSupported) {
			throw new InvalidDistributedLockException(function,
					"is on a suspend function, which Spring cannot call without further libraries",
					"Add io.projectreactor:reactor-core, org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
							+ " org.jetbrains.kotlin:kotlin-reflect to the class path.");
		}
		Class<?> type = Methods.returnType(function, targetClass);
		boolean flow = Methods.isKotlin(type, "flow.Flow");
		refuse(LaterWork.of(type) != null && !flow, function, type,
				"Return the value itself from the suspend function, or a Flow.");
		ReactiveAdapter adapter = adapter(flow ? Flux.class : Mono.class);
		Assert.state(adapter != null, "Spring knows Reactor where it is on the class path");
		return new PublisherMethod(function, plan.get(), this.template, adapter);
	}

	private static String adviceFor(LaterWork later) {
		return switch (later) {
			case FUTURE -> "Return CompletableFuture or CompletionStage.";
			case COROUTINE -> "Make it a suspend function, or return Deferred or Flow, and add"
					+ " org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the class path.";
			case PUBLISHER -> "Add io.projectreactor:reactor-core to the class path.";
			case CALL -> "Return CompletableFuture, or annotate a method that does the work itself.";
		};
	}

	// The call ends when it returns, even if work inside its result goes on
	private static boolean hasLaterContent(ResolvableType type) {
		if (!holdsContent(type.resolve(Object.class))) {
			return false;
		}
		ResolvableType content = type.getGeneric(0);
		return LaterWork.of(content.resolve(Object.class)) != null || hasLaterContent(content);
	}

	private static boolean holdsContent(Class<?> type) {
		ReactiveAdapter adapter = adapter(type);
		return (adapter != null) ? !adapter.isMultiValue() : type == Optional.class
				|| Collection.class.isAssignableFrom(type) || isA(type, "org.springframework.http.HttpEntity");
	}

	private static @Nullable ReactiveAdapter adapter(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	private static void refuse(boolean isEndUnknown, Method method, String action) {
		refuse(isEndUnknown, method, method.getGenericReturnType(), action);
	}

	private static void refuse(boolean isEndUnknown, Method method, Type returned, String action) {
		if (isEndUnknown) {
			throw new InvalidDistributedLockException(method,
					"is on a method that returns before its work is done, and nothing says when that is: it returns %s"
						.formatted(returned.getTypeName()),
					action);
		}
	}

	private static boolean isAsync(AnnotatedElement element) {
		return AnnotatedElementUtils.hasAnnotation(element, Async.class);
	}

	private static boolean isA(Class<?> type, String className) {
		ClassLoader classLoader = type.getClassLoader();
		return classLoader != null && ClassUtils.isPresent(className, classLoader)
				&& ClassUtils.resolveClassName(className, classLoader).isAssignableFrom(type);
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, LockedMethodFactory.class.getClassLoader());
	}

}
