package io.holdfast.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.DistributedLock;
import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.HoldfastLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code fallback}: what is called instead of a method whose lock was not acquired.
 */
@Tag("slow")
class FallbackTests {

	private static final String LOCKED = "fallback-locked";

	private static void refused(FallbackTest test) {
		LocalApplication.with(Calls.class, Strings.class)
			.run((context) -> LocalApplication.whileHeldElsewhere(context, LOCKED,
					() -> test.run(context.getBean(Calls.class), context)));
	}

	@Test
	void isCalledWithTheArgumentsInsteadOfTheMethod() {
		refused((calls, context) -> {
			assertThat(calls.plain("x")).isEqualTo("instead of plain x");
			assertThat(calls.told("x", 1)).isEqualTo("x 1 " + LOCKED);
			assertThat(calls.overloaded("x")).isEqualTo("with failure");
			assertThat(calls.sameName("x")).isEqualTo("same name x");
			assertThat(calls.withStatic(2)).isEqualTo(4);
			assertThat(calls.inheriting()).isEqualTo("inherited");
			assertThat(calls.primitive()).isEqualTo(7);
			assertThat(calls.number()).isEqualTo(8);
			calls.nothing();
			assertThat(calls.events()).containsExactly("noted");
		});
	}

	@Test
	void privateMethodRunsOnTheObjectItself() {
		refused((calls, context) -> assertThat(calls.state()).isSameAs(calls.events()));
		ProxyFactory factory = new ProxyFactory(new Calls());
		factory.setProxyTargetClass(true);
		LocalApplication.with()
			.withBean(Calls.class, () -> (Calls) factory.getProxy())
			.run((context) -> LocalApplication.whileHeldElsewhere(context, LOCKED,
					() -> assertThat(context.getBean(Calls.class).state()).isNotNull()
						.isSameAs(context.getBean(Calls.class).events())));
	}

	@Test
	void isFoundThroughGenericTypes() {
		refused((calls, context) -> {
			Strings strings = context.getBean(Strings.class);
			assertThat(strings.handle("x")).containsExactly("instead", "x");
			assertThat(strings.own("x")).isEqualTo("own x");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	void annotationOfAnInterfaceFindsItInTheClass(String proxyTargetClass) {
		LocalApplication.with(Implementation.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> LocalApplication.whileHeldElsewhere(context, LOCKED, () -> {
				Service service = context.getBean(Service.class);
				assertThat(service.method("x")).isEqualTo("instead x");
				assertThat(service.byDefault()).isEqualTo("default instead");
			}));
	}

	@Test
	void ownExceptionsReachTheCallerAsTheyAre() {
		refused((calls, context) -> {
			assertThatExceptionOfType(IOException.class).isThrownBy(calls::failing)
				.withMessage("from the fallback")
				.withNoCause();
			assertThat(calls.either("x")).isEqualTo("taken x");
		});
	}

	@Test
	void isNotCalledForWhatTheMethodThrows() {
		LocalApplication.with(Calls.class)
			.run((context) -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Calls.class)
					.throwing(new LockNotAcquiredException(LOCKED, Duration.ZERO, null))));
	}

	@Test
	void oneThatTakesAnyFailureIsCalledWhenTheLockIsUnavailable() {
		LocalApplication.with(Calls.class).run((context) -> {
			context.getBean(HoldfastLockRegistry.class).close();
			Calls calls = context.getBean(Calls.class);
			assertThat(calls.either("x")).isEqualTo("any x");
			assertThat(calls.stage().join()).isEqualTo("LockUnavailableException");
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> calls.plain("x"));
		});
	}

	interface FallbackTest {

		void run(Calls calls, AssertableApplicationContext context) throws Throwable;

	}

	static class Base {

		private String inherited() {
			return "inherited";
		}

	}

	static class Calls extends Base {

		private final List<String> events = new ArrayList<>();

		List<String> events() {
			return this.events;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "insteadOfPlain")
		String plain(String argument) {
			return "plain " + argument;
		}

		String insteadOfPlain(String argument) {
			return "instead of plain " + argument;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "eitherOf")
		String either(String argument) {
			return "run";
		}

		String eitherOf(String argument, LockNotAcquiredException failure) {
			return "taken " + argument;
		}

		String eitherOf(String argument, LockException failure) {
			return "any " + argument;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "anyStage")
		CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("run");
		}

		CompletableFuture<String> anyStage(LockException failure) {
			return CompletableFuture.completedFuture(failure.getClass().getSimpleName());
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "insteadOfTold")
		String told(String first, int second) {
			return "told";
		}

		String insteadOfTold(String first, int second, LockNotAcquiredException failure) {
			return first + " " + second + " " + failure.getKey();
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "several")
		String overloaded(String argument) {
			return "overloaded";
		}

		String several(String argument) {
			return "without failure";
		}

		String several(String argument, LockNotAcquiredException failure) {
			return "with failure";
		}

		String several(Object argument, LockNotAcquiredException failure) {
			return "of another type";
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "sameName")
		String sameName(String argument) {
			return "not this";
		}

		String sameName(String argument, LockNotAcquiredException failure) {
			return "same name " + argument;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "insteadOfState")
		Object state() {
			return "state";
		}

		private Object insteadOfState() {
			return this.events;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "twice")
		int withStatic(int number) {
			return number;
		}

		private static int twice(int number) {
			return 2 * number;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "inherited")
		String inheriting() {
			return "own";
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "seven")
		int primitive() {
			return 0;
		}

		private Integer seven() {
			return 7;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "eight")
		Number number() {
			return 0;
		}

		private int eight() {
			return 8;
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "note")
		void nothing() {
			this.events.add("run");
		}

		private boolean note() {
			return this.events.add("noted");
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "fail")
		void failing() throws IOException {
			throw new IOException("from the method");
		}

		private void fail() throws IOException {
			throw new IOException("from the fallback");
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "swallow")
		void throwing(RuntimeException failure) {
			throw failure;
		}

		private void swallow(RuntimeException failure) {
			this.events.add("swallowed");
		}

	}

	abstract static class Generic<T> {

		@DistributedLock(key = "'fallback-locked'", fallback = "instead")
		public List<T> handle(T value) {
			return List.of(value);
		}

		@DistributedLock(key = "'fallback-locked'", fallback = "ownInstead")
		public T own(T value) {
			return value;
		}

		protected abstract List<T> instead(T value);

	}

	static class Strings extends Generic<String> {

		@Override
		protected List<String> instead(String value) {
			return List.of("instead", value);
		}

		private String ownInstead(String value, LockNotAcquiredException failure) {
			return "own " + value;
		}

	}

	interface Service {

		@DistributedLock(key = "'fallback-locked'", fallback = "instead")
		String method(String argument);

		@DistributedLock(key = "'fallback-locked'", fallback = "insteadOfDefault")
		default String byDefault() {
			return "default";
		}

	}

	static class Implementation implements Service {

		@Override
		public String method(String argument) {
			return "run";
		}

		private String instead(String argument) {
			return "instead " + argument;
		}

		private static String insteadOfDefault(LockNotAcquiredException failure) {
			return "default instead";
		}

	}

}
