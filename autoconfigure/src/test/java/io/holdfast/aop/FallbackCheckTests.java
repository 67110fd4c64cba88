package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fallbacks that are refused at startup.
 */
class FallbackCheckTests {

	private static final String OR_FAILURE = ", optionally followed by a LockNotAcquiredException, or by a LockException to be called also when Redis does not answer.";

	static Stream<Method> refused() {
		return Stream.of(RefusedFallbacks.class, OnClass.class, PublicOnClass.class).flatMap(RefusedMethods::in);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Method method) {
		RefusedMethods.assertRefused(method);
	}

	@Test
	void thatDoesNotFitAMethodBehindAnInterfaceKeepsTheApplicationFromStarting() {
		LocalApplication.with(OnInterface.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidDistributedLockException.class)
				.hasMessageContaining("OnInterface.misfit(String) names no method that fits: \"other\"; there is"));
	}

	@Test
	void resultsThatCanBe() {
		LocalApplication.with(Fine.class).run((context) -> assertThat(context).hasNotFailed());
	}

	static class RefusedFallbacks {

		@Refused(attribute = "fallback", problem = "names no method that fits: \"missing\"",
				action = "Write a method 'missing' in TYPE, private if you like, with the parameters (String, int)"
						+ OR_FAILURE)
		@DistributedLock(key = "'k'", fallback = "missing")
		void notThere(String first, int second) {
		}

		@Refused(attribute = "fallback",
				problem = "names no method that fits: \"ofObject\"; there is TYPE.ofObject(Object)",
				action = "Write a method 'ofObject' in TYPE, private if you like, with the parameters (String)"
						+ OR_FAILURE)
		@DistributedLock(key = "'k'", fallback = "ofObject")
		void withOtherParameters(String argument) {
		}

		@Refused(attribute = "fallback",
				problem = "names no method that fits: \"ofRuntimeException\"; there is TYPE.ofRuntimeException(String, RuntimeException)",
				action = "Write a method 'ofRuntimeException' in TYPE, private if you like, with the parameters (String)"
						+ OR_FAILURE)
		@DistributedLock(key = "'k'", fallback = "ofRuntimeException")
		void withAnotherException(String argument) {
		}

		@Refused(attribute = "fallback",
				problem = "names TYPE.text(), which returns java.lang.String where int is required",
				action = "Have 'text' return int.")
		@DistributedLock(key = "'k'", fallback = "text")
		int ofTheWrongType() {
			return 0;
		}

		@Refused(attribute = "fallback",
				problem = "names TYPE.nothing(), which returns void where java.lang.Object is required",
				action = "Have 'nothing' return java.lang.Object.")
		@DistributedLock(key = "'k'", fallback = "nothing")
		Object withoutAResult() {
			return "";
		}

		@Refused(attribute = "fallback",
				problem = "names TYPE.texts(), which returns java.util.List<java.lang.String> where java.util.List<java.lang.Integer> is required",
				action = "Have 'texts' return java.util.List<java.lang.Integer>.")
		@DistributedLock(key = "'k'", fallback = "texts")
		List<Integer> withOtherElements() {
			return List.of();
		}

		@Refused(attribute = "fallback", problem = "names the locked method itself: \"itself\"",
				action = "Name another method. If the annotation is on the class: it stands for all public methods, so make the"
						+ " fallback one that is not public.")
		@DistributedLock(key = "'k'", fallback = "itself")
		void itself() {
		}

		@Refused(attribute = "fallback", problem = "cannot be combined with onFailure = SKIP: \"nothing\"",
				action = "Remove one of the two.")
		@DistributedLock(key = "'k'", fallback = "nothing", onFailure = OnFailure.SKIP)
		void besidesSkip() {
		}

		@Refused(attribute = "fallback",
				problem = "takes a LockException, and cannot be combined with onUnavailable = SKIP: \"ofAnyFailure\"",
				action = "Remove one of the two, or have the fallback take a LockNotAcquiredException.")
		@DistributedLock(key = "'k'", fallback = "ofAnyFailure", onUnavailable = OnFailure.SKIP)
		void ofAnyFailureBesidesSkip() {
		}

		void ofObject(Object argument) {
		}

		void ofRuntimeException(String argument, RuntimeException failure) {
		}

		void ofAnyFailure(LockException failure) {
		}

		void nothing() {
		}

		String text() {
			return "";
		}

		List<String> texts() {
			return List.of();
		}

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class OnClass {

		public void fit() {
		}

		@Refused(attribute = "fallback", problem = "names no method that fits: \"other\"; there is TYPE.other()",
				action = "Write a method 'other' in TYPE, private if you like, with the parameters (String)"
						+ OR_FAILURE)
		public void misfit(String argument) {
		}

		void other() {
		}

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class PublicOnClass {

		@Refused(attribute = "fallback", problem = "names the locked method itself: \"other\"",
				action = "Name another method. If the annotation is on the class: it stands for all public methods, so make the"
						+ " fallback one that is not public.")
		public void other() {
		}

	}

	interface Service {

		void fit();

		void misfit(String argument);

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class OnInterface implements Service {

		@Override
		public void fit() {
		}

		@Override
		public void misfit(String argument) {
		}

		void other() {
		}

	}

	static class Fine {

		@DistributedLock(key = "'k'", fallback = "other")
		<T> List<T> generic(T value) {
			return List.of(value);
		}

		<T> List<T> other(T value) {
			return List.of(value);
		}

		@DistributedLock(key = "'k'", fallback = "integers")
		List<? extends Number> wildcard() {
			return List.of();
		}

		private List<Integer> integers() {
			return List.of();
		}

		@DistributedLock(key = "'k'", fallback = "subtype")
		Object object(int... numbers) {
			return numbers;
		}

		private int subtype(int[] numbers, LockNotAcquiredException failure) {
			return numbers.length;
		}

	}

}
