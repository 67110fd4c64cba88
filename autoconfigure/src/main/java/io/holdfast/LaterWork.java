package io.holdfast;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Kinds of results that stand for work which may be done after the code that returns
 * them, and so outside of the lock that this code runs under.
 *
 * @since 0.1.0
 */
public enum LaterWork {

	/**
	 * A future or a stage.
	 */
	FUTURE,

	/**
	 * Work of Kotlin's coroutines.
	 */
	COROUTINE,

	/**
	 * A publisher, which works when it is subscribed to.
	 */
	PUBLISHER,

	/**
	 * What another thread calls or completes.
	 */
	CALL;

	private static final List<String> OF_COROUTINES = List.of("kotlinx.coroutines.Job",
			"kotlinx.coroutines.channels.ReceiveChannel", "kotlinx.coroutines.flow.Flow");

	private static final List<String> OF_SPRING_MVC = List.of(
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	// Its values are of the JVM: they keep no class loader of ours alive
	private static final ClassValue<Boolean> LATER = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return of(type) != null;
		}

	};

	/**
	 * Return what kind of later work the values of a type stand for.
	 * @param type the type
	 * @return the kind, or {@code null} if they stand for none
	 */
	public static @Nullable LaterWork of(Class<?> type) {
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return FUTURE;
		}
		if (isOneOf(OF_COROUTINES, type)) {
			return COROUTINE;
		}
		if (Flow.Publisher.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
			return PUBLISHER;
		}
		return (Callable.class.isAssignableFrom(type) || isOneOf(OF_SPRING_MVC, type)) ? CALL : null;
	}

	// Otherwise the result would be used without the lock. A future may be at work
	// already: it is cancelled
	static <T extends @Nullable Object> T refuse(T result, LockHandle lock) {
		if (result == null || !LATER.get(result.getClass())) {
			return result;
		}
		IllegalStateException refusal = new IllegalStateException(("The code under lock '%s' returned a %s, which does "
				+ "its work after the lock is released: use ReactiveLockTemplate for a publisher, "
				+ "LockTemplate.executeAsync for a CompletionStage, or return a result instead of what computes it")
			.formatted(LogText.of(LogText.keys(lock.keys())), result.getClass().getName()));
		if (result instanceof Future<?> future) {
			cancel(future, refusal);
		}
		throw refusal;
	}

	private static void cancel(Future<?> future, IllegalStateException refusal) {
		try {
			future.cancel(true);
		}
		catch (RuntimeException ex) {
			refusal.addSuppressed(ex);
		}
	}

	private static boolean isOneOf(List<String> names, Class<?> type) {
		ClassLoader classLoader = type.getClassLoader();
		return classLoader != null && names.stream()
			.anyMatch((name) -> ClassUtils.isPresent(name, classLoader)
					&& ClassUtils.resolveClassName(name, classLoader).isAssignableFrom(type));
	}

}
