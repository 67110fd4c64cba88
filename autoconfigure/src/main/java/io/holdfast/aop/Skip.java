package io.holdfast.aop;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.holdfast.LockException;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.CollectionFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;

record Skip(Class<?> returnType, Class<?> completed, OtherApplicationWarning warning) implements FailureReaction {

	private static final Logger logger = LoggerFactory.getLogger(Skip.class);

	private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.of(Optional.class, Optional::empty,
			OptionalInt.class, OptionalInt::empty, OptionalLong.class, OptionalLong::empty, OptionalDouble.class,
			OptionalDouble::empty, Stream.class, Stream::empty, IntStream.class, IntStream::empty, LongStream.class,
			LongStream::empty, DoubleStream.class, DoubleStream::empty, Iterable.class, ArrayList::new, Iterator.class,
			Collections::emptyIterator);

	// For types that Spring creates nothing for
	private static final List<Supplier<Object>> OTHER_CONTAINERS = List.of(LinkedList::new, LinkedHashMap::new,
			LinkedHashSet::new, ConcurrentHashMap::new, ConcurrentSkipListMap::new, LinkedBlockingDeque::new,
			LinkedTransferQueue::new);

	static FailureReaction of(Method method, Class<?> targetClass, OtherApplicationWarning warning) {
		Class<?> type = Methods.returnType(method, targetClass);
		Class<?> completed = Methods.completedType(method, targetClass);
		if (Methods.isKotlin(type, "Deferred")) {
			return new OfDeferred(new Skip(completed, completed, warning), type);
		}
		Skip skip = new Skip(type, completed, warning);
		return KotlinDetector.isSuspendingFunction(method) ? new OfSuspendFunction(skip) : skip;
	}

	@Override
	public @Nullable Object react(LockCall call, LockException failure) {
		if (failure instanceof LockUnavailableException) {
			logger.warn("{} was not called, because its lock is unavailable: {}", call.method(),
					LogText.of(failure.getMessage()));
		}
		else {
			logger.debug("{} was not called, because its lock was not acquired: {}", call.method(),
					LogText.of(failure.getMessage()));
			this.warning.warnOfHolder(call.method(), failure);
		}
		if (this.returnType.isAssignableFrom(CompletableFuture.class) && this.returnType != Object.class) {
			return CompletableFuture.completedFuture(emptyResult(this.completed));
		}
		return emptyResult(this.returnType);
	}

	// A result that can be changed or used only once is new each time
	static @Nullable Object emptyResult(Class<?> type) {
		if (type == void.class || type == Object.class) {
			return null;
		}
		if (type.isPrimitive()) {
			return Array.get(Array.newInstance(type, 1), 0);
		}
		if (type.isArray()) {
			return Array.newInstance(type.getComponentType(), 0);
		}
		Supplier<Object> empty = EMPTY.get(type);
		if (empty != null) {
			return empty.get();
		}
		boolean container = Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
		return container ? emptyContainer(type) : emptyPublisher(type);
	}

	private static @Nullable Object emptyContainer(Class<?> type) {
		try {
			return Map.class.isAssignableFrom(type) ? CollectionFactory.createMap(type, 0)
					: CollectionFactory.createCollection(type, 0);
		}
		catch (IllegalArgumentException ex) {
			return OTHER_CONTAINERS.stream().map(Supplier::get).filter(type::isInstance).findFirst().orElse(null);
		}
	}

	private static @Nullable Object emptyPublisher(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null && adapter.supportsEmpty()) ? adapter.getDescriptor().getEmptyValue() : null;
	}

	// Spring has interceptors of suspend functions return a publisher
	private record OfSuspendFunction(Skip skip) implements FailureReaction {

		@Override
		public Object react(LockCall call, LockException failure) {
			Object result = this.skip.react(call, failure);
			return Methods.isKotlin(this.skip.returnType(), "flow.Flow") ? Flux.empty() : Mono.justOrEmpty(result);
		}

	}

	// Completes with the empty result, which Spring's empty Deferred never does
	private record OfDeferred(Skip skip, Class<?> type) implements FailureReaction {

		@Override
		public Object react(LockCall call, LockException failure) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(this.type);
			Assert.state(adapter != null, "Deferred is refused where Spring does not know it");
			return adapter.fromPublisher(Mono.justOrEmpty(this.skip.react(call, failure)));
		}

	}

}
