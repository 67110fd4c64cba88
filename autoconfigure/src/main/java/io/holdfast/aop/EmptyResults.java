package io.holdfast.aop;

import java.lang.reflect.Array;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * What methods return that were not run.
 */
final class EmptyResults {

	private static final Map<Class<?>, Object> OPTIONALS = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private EmptyResults() {
	}

	/**
	 * Return the empty result of a type. One that can be changed is new each time.
	 */
	static @Nullable Object of(Class<?> type) {
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

}
