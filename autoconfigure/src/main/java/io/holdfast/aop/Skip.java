package io.holdfast.aop;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockNotAcquiredException;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Does nothing, and returns an empty result.
 *
 * @param returnType what the method returns
 */
record Skip(Class<?> returnType) implements FailureReaction {

	private static final Logger logger = LoggerFactory.getLogger(Skip.class);

	private static final Map<Class<?>, Object> OPTIONALS = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Return the reaction that skips a method.
	 */
	static FailureReaction of(Method method, Class<?> targetClass) {
		Skip skip = new Skip(Methods.returnType(method, targetClass));
		return KotlinDetector.isSuspendingFunction(method) ? new OfSuspendFunction(skip) : skip;
	}

	@Override
	public @Nullable Object instead(LockCall call, LockNotAcquiredException failure) {
		logger.debug("Skipping {}: {}", call.method(), LogText.of(failure.getMessage()));
		return emptyResult(this.returnType);
	}

	/**
	 * Return the empty result of a type. One that can be changed is new each time.
	 */
	static @Nullable Object emptyResult(Class<?> type) {
		if (type == void.class || type == Object.class) {
			return null;
		}
		if (type.isPrimitive()) {
			return Array.get(Array.newInstance(type, 1), 0);
		}
		if (type.isAssignableFrom(CompletableFuture.class)) {
			return CompletableFuture.completedFuture(null);
		}
		Object optional = OPTIONALS.get(type);
		return (optional != null) ? optional : emptyPublisher(type);
	}

	private static @Nullable Object emptyPublisher(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null && adapter.supportsEmpty()) ? adapter.getDescriptor().getEmptyValue() : null;
	}

	/**
	 * Publishes the empty result, as Spring has interceptors of suspend functions do.
	 *
	 * @param skip returns what the function would return
	 */
	private record OfSuspendFunction(Skip skip) implements FailureReaction {

		@Override
		public Object instead(LockCall call, LockNotAcquiredException failure) {
			Object result = this.skip.instead(call, failure);
			boolean flow = this.skip.returnType().getName().equals("kotlinx.coroutines.flow.Flow");
			return flow ? Flux.empty() : Mono.justOrEmpty(result);
		}

	}

}
