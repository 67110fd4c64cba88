package io.holdfast;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.AdditionalAnswers;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Calls each public method and constructor with {@code null} for each argument that must
 * not be {@code null}. Methods that are added are found by themselves.
 */
class NullArgumentTests {

	private static final LocalLocks locks = new LocalLocks();

	private static final TestInstance instance = new TestInstance((id) -> new LocalLockStore(locks));

	private static final LockHandle handle = instance.template().acquire("handle");

	private static final LockHandle joint = joint();

	/**
	 * A registry of a user's own, with nothing but what it must have.
	 */
	private static final LockRegistry ofUser = mock(LockRegistry.class, (call) -> call.getMethod().isDefault()
			? call.callRealMethod() : AdditionalAnswers.delegatesTo(instance.registry()).answer(call));

	/**
	 * What users implement.
	 */
	private static final Set<Class<?>> CALLED_BY_US = Set.of(LockListener.class, LockCallback.class);

	/**
	 * What can be passed for each type of parameter.
	 */
	private static final Map<Class<?>, Object> arguments = Map.ofEntries(Map.entry(String.class, "k"),
			Map.entry(String[].class, new String[] { "k" }), Map.entry(List.class, List.of("k")),
			Map.entry(Collection.class, List.of("k")), Map.entry(Duration.class, Duration.ofMinutes(1)),
			Map.entry(Instant.class, Instant.EPOCH), Map.entry(TimeUnit.class, TimeUnit.SECONDS),
			Map.entry(boolean.class, true), Map.entry(Boolean.class, true), Map.entry(int.class, 1),
			Map.entry(long.class, 1L), Map.entry(Long.class, 1L), Map.entry(Throwable.class, new Exception()),
			Map.entry(Consumer.class, (Consumer<?>) (lock) -> {
			}), Map.entry(Supplier.class, (Supplier<?>) List::of),
			Map.entry(Function.class, (Function<?, ?>) (lock) -> CompletableFuture.completedFuture("done")),
			Map.entry(LockCallback.class, (LockCallback<?, ?>) (lock) -> "done"),
			Map.entry(LockRequest.class, LockRequest.of("k")), Map.entry(LockMode.class, LockMode.SHARED),
			Map.entry(OnLost.class, OnLost.THROW), Map.entry(LockHandle.class, handle),

			Map.entry(LockRegistry.class, instance.registry()),
			Map.entry(LockSnapshot.class, instance.registry().held().iterator().next()));

	private static LockHandle joint() {
		instance.template().acquire("joint");
		return instance.template().acquire(LockRequest.of("joint", "more"));
	}

	@AfterAll
	static void close() {
		instance.close();
	}

	/**
	 * The types that users call, each with an object to call; exceptions are not among
	 * them, since what tells a failure must not fail itself.
	 */
	static Stream<Call> calls() {
		HoldfastLockRegistry registry = instance.registry();
		return Stream.of(calls(LockRequest.class, LockRequest.of("k")), calls(LockTemplate.class, instance.template()),
				calls(LockRegistry.class, registry), calls(LockRegistry.class, ofUser), calls(LockHandle.class, handle),
				calls(LockHandle.class, joint), calls(Lock.class, registry.lock("k")),
				calls(LockView.class, registry.lock("k")), calls(ReadWriteLock.class, registry.readWriteLock("k")),
				calls(LockAssert.class, null), calls(LockSnapshot.class, null), calls(LockLostEvent.class, null))
			.flatMap(Function.identity());
	}

	private static Stream<Call> calls(Class<?> type, @Nullable Object target) {
		Stream<Executable> executables = Stream.concat(Arrays.stream(type.getConstructors()),
				Arrays.stream(type.getDeclaredMethods())
					.filter((method) -> target != null || Modifier.isStatic(method.getModifiers())));
		return executables
			.filter((executable) -> Modifier.isPublic(executable.getModifiers()) && !executable.isSynthetic())
			.filter((executable) -> !executable.getName().equals("equals"))
			.flatMap((executable) -> IntStream.range(0, executable.getParameterCount())
				.filter((index) -> isRequired(executable.getParameters()[index]))
				.mapToObj((index) -> new Call(executable, target, index)));
	}

	private static boolean isRequired(Parameter parameter) {
		return !parameter.getType().isPrimitive() && !parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
	}

	@ParameterizedTest
	@MethodSource("calls")
	void nullIsRefusedByName(Call call) throws Exception {
		int held = instance.registry().held().size();
		assertThat(call.failure()).isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class)
			.message()
			.containsIgnoringCase(call.parameterName());
		assertThat(instance.registry().held()).hasSize(held);
		assertThat(instance.registry().status().acquiring()).isZero();
	}

	@Test
	void registryOfAUserNeedsNoMoreThanItMustHave() {
		LockHandle lock = ofUser.acquireOrThrow(LockRequest.of("mine"));
		assertThat(ofUser.isHeldByCurrentThread("mine")).isTrue();
		ofUser.ensureHeldByCurrentThread();
		lock.close();
		assertThat(ofUser.isHeldByCurrentThread("mine")).isFalse();
	}

	/**
	 * Those that are missing have nothing to call, or are called by users' code only.
	 */
	@Test
	void eachTypeOfTheApiIsAmongThem() throws Exception {
		Set<Class<?>> called = calls().map((call) -> call.executable().getDeclaringClass()).collect(Collectors.toSet());
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/holdfast/Lock*.class")) {
			Class<?> type = Class.forName("io.holdfast." + file.getFilename().replace(".class", ""));
			if (Modifier.isPublic(type.getModifiers()) && !Throwable.class.isAssignableFrom(type) && !type.isEnum()
					&& !CALLED_BY_US.contains(type) && !type.getSimpleName().endsWith("Tests")) {
				assertThat(called).contains(type);
			}
		}
	}

	/**
	 * A call with {@code null} for one of its arguments.
	 */
	private record Call(Executable executable, @Nullable Object target, int index) {

		private Parameter parameter() {
			return this.executable.getParameters()[this.index];
		}

		/**
		 * Classes of the JDK do not tell the names of their parameters.
		 */
		private String parameterName() {
			return parameter().isNamePresent() ? parameter().getName() : parameter().getType().getSimpleName();
		}

		private @Nullable Throwable failure() throws Exception {
			@Nullable Object[] values = Arrays.stream(this.executable.getParameterTypes())
				.map((type) -> Optional.ofNullable(arguments.get(type))
					.orElseThrow(() -> new IllegalStateException("Add an argument of " + type)))
				.toArray();
			values[this.index] = null;
			try {
				if (this.executable instanceof Constructor<?> constructor) {
					constructor.newInstance(values);
				}
				else {
					this.executable.setAccessible(true);
					((Method) this.executable).invoke(this.target, values);
				}
				return null;
			}
			catch (InvocationTargetException ex) {
				return ex.getCause();
			}
		}

		@Override
		public String toString() {
			return "%s.%s, %s".formatted(
					(this.target != null) ? this.target.getClass().getSimpleName()
							: this.executable.getDeclaringClass().getSimpleName(),
					this.executable.getName(), parameterName());
		}

	}

}
