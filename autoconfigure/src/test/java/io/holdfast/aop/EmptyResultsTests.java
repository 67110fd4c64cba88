package io.holdfast.aop;

import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TransferQueue;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.util.MultiValueMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What skipped methods return.
 */
class EmptyResultsTests {

	@ParameterizedTest
	@ValueSource(classes = { Mono.class, Flux.class, Publisher.class })
	void publishersComplete(Class<?> type) {
		assertThat(Flux.from((Publisher<?>) Skip.emptyResult(type)).collectList().block()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { Collection.class, List.class, Set.class, SortedSet.class, Queue.class, ArrayList.class,
			LinkedList.class, Iterable.class, Deque.class, BlockingQueue.class, BlockingDeque.class,
			TransferQueue.class, CopyOnWriteArrayList.class, Map.class, SortedMap.class, LinkedHashMap.class,
			ConcurrentHashMap.class, ConcurrentMap.class, ConcurrentNavigableMap.class, MultiValueMap.class })
	void containersAreEmptyAndNew(Class<?> type) {
		Object empty = Skip.emptyResult(type);
		assertThat(empty).isInstanceOf(type).extracting(Object::toString).isIn("[]", "{}");
		assertThat(Skip.emptyResult(type)).isNotSameAs(empty);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SequencedCollection", "SequencedSet", "SequencedMap" })
	@EnabledForJreRange(min = JRE.JAVA_21)
	void sequencesAreEmpty(String type) throws ClassNotFoundException {
		assertThat(Skip.emptyResult(Class.forName("java.util." + type))).extracting(Object::toString).isIn("[]", "{}");
	}

	@Test
	void concurrentMapTakesKeysThatHaveNoOrder() {
		assertThat(Skip.emptyResult(ConcurrentMap.class)).isNotInstanceOf(SortedMap.class);
	}

	@Test
	void arraysAreEmpty() {
		assertThat((int[]) Skip.emptyResult(int[].class)).isEmpty();
		assertThat((String[][]) Skip.emptyResult(String[][].class)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void streamsAreEmptyAndCanBeUsedEachTime(int time) {
		assertThat((Stream<?>) Skip.emptyResult(Stream.class)).isEmpty();
		assertThat((IntStream) Skip.emptyResult(IntStream.class)).isEmpty();
		assertThat((LongStream) Skip.emptyResult(LongStream.class)).isEmpty();
		assertThat((DoubleStream) Skip.emptyResult(DoubleStream.class)).isEmpty();
		assertThat((Iterator<?>) Skip.emptyResult(Iterator.class)).isExhausted();
	}

	static Stream<Object> values() {
		return Stream.of(Optional.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalDouble.empty(), false,
				(byte) 0, (short) 0, 0, 0L, 0f, 0d, '\0');
	}

	@ParameterizedTest
	@MethodSource("values")
	void optionalsAreEmptyAndPrimitivesZero(Object empty) {
		Class<?> type = MethodType.methodType(empty.getClass()).unwrap().returnType();
		assertThat(Skip.emptyResult(type)).isEqualTo(empty);
		assertThat(Skip.emptyResult(empty.getClass())).isEqualTo(type.isPrimitive() ? null : empty);
	}

	@ParameterizedTest
	@ValueSource(classes = { EnumSet.class, EnumMap.class, ArrayBlockingQueue.class, void.class, Object.class,
			String.class, Runnable.class })
	void otherTypesHaveNone(Class<?> type) {
		assertThat(Skip.emptyResult(type)).isNull();
	}

}
