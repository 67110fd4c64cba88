package io.holdfast.autoconfigure;

import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Test;

import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fallbacks that are refused at startup.
 */
class FallbackCheckTests {

	private static void assertRefused(Class<?> type, String method, String problem, String action,
			String... properties) {
		FailureAnalysis analysis = FailedStart.with(type, properties);
		assertThat(analysis.getDescription()).isEqualTo("The attribute 'fallback' of @DistributedLock on %s.%s %s."
			.formatted(type.getName(), method, problem.replace("TYPE", type.getName())));
		assertThat(analysis.getAction()).isEqualTo(action.replace("TYPE", type.getName()));
	}

	private static String write(String parameters) {
		return "Write a method 'other' in TYPE, private if you like, with the parameters " + parameters
				+ ", optionally followed by a LockNotAcquiredException, or by a LockException to be called also when Redis does not answer.";
	}

	@Test
	void thatIsNotThere() {
		assertRefused(Missing.class, "method(String, int)", "names no method that fits: \"other\"",
				write("(String, int)"));
	}

	@Test
	void withOtherParameters() {
		assertRefused(OtherParameters.class, "method(String)",
				"names no method that fits: \"other\"; there is TYPE.other(Object)", write("(String)"));
		assertRefused(OtherException.class, "method(String)",
				"names no method that fits: \"other\"; there is TYPE.other(String, RuntimeException)",
				write("(String)"));
	}

	@Test
	void ofTheWrongType() {
		assertRefused(WrongType.class, "method()",
				"names TYPE.other(), which returns java.lang.String where int is required", "Have 'other' return int.");
		assertRefused(NoResult.class, "method()",
				"names TYPE.other(), which returns void where java.lang.Object is required",
				"Have 'other' return java.lang.Object.");
		assertRefused(WrongElements.class, "method()",
				"names TYPE.other(), which returns java.util.List<java.lang.String> where java.util.List<java.lang.Integer> is required",
				"Have 'other' return java.util.List<java.lang.Integer>.");
	}

	@Test
	void thatIsTheMethodItself() {
		assertRefused(Itself.class, "method()", "names the locked method itself: \"method\"",
				"Name another method. If the annotation is on the class: it stands for all public methods, so make the"
						+ " fallback one that is not public.");
	}

	@Test
	void besidesSkip() {
		assertRefused(WithSkip.class, "method()", "cannot be combined with onFailure = SKIP: \"other\"",
				"Remove one of the two.");
	}

	@Test
	void ofAnyFailureBesidesSkip() {
		assertRefused(WithSkipWhenUnavailable.class, "method()",
				"takes a LockException, and cannot be combined with onUnavailable = SKIP: \"other\"",
				"Remove one of the two, or have the fallback take a LockNotAcquiredException.");
	}

	@Test
	void thatDoesNotFitOneOfTheMethodsOfTheClass() {
		assertRefused(OnClass.class, "misfit(String)", "names no method that fits: \"other\"; there is TYPE.other()",
				write("(String)"));
	}

	@Test
	void thatDoesNotFitAMethodBehindAnInterface() {
		assertRefused(OnInterface.class, "misfit(String)",
				"names no method that fits: \"other\"; there is TYPE.other()", write("(String)"),
				"spring.aop.proxy-target-class=false");
	}

	@Test
	void thatIsPublicOnAnAnnotatedClass() {
		FailureAnalysis analysis = FailedStart.with(PublicOnClass.class);
		assertThat(analysis.getDescription()).isEqualTo(
				"The attribute 'fallback' of @DistributedLock on %s.other() names the locked method itself: \"other\"."
					.formatted(PublicOnClass.class.getName()));
	}

	@Test
	void ofTheSecondAnnotation() {
		assertRefused(Second.class, "method()", "names no method that fits: \"other\"", write("()"));
	}

	@Test
	void resultsThatCanBe() {
		FailedStart.application(Fine.class).run((context) -> assertThat(context).hasNotFailed());
	}

	static class Missing {

		@DistributedLock(key = "'k'", fallback = "other")
		void method(String first, int second) {
		}

	}

	static class OtherParameters {

		@DistributedLock(key = "'k'", fallback = "other")
		void method(String argument) {
		}

		void other(Object argument) {
		}

	}

	static class OtherException {

		@DistributedLock(key = "'k'", fallback = "other")
		void method(String argument) {
		}

		void other(String argument, RuntimeException failure) {
		}

	}

	static class WithSkipWhenUnavailable {

		@DistributedLock(key = "'k'", fallback = "other", onUnavailable = OnFailure.SKIP)
		void method() {
		}

		void other(LockException failure) {
		}

	}

	static class WrongType {

		@DistributedLock(key = "'k'", fallback = "other")
		int method() {
			return 0;
		}

		String other() {
			return "";
		}

	}

	static class NoResult {

		@DistributedLock(key = "'k'", fallback = "other")
		Object method() {
			return "";
		}

		void other() {
		}

	}

	static class WrongElements {

		@DistributedLock(key = "'k'", fallback = "other")
		List<Integer> method() {
			return List.of();
		}

		List<String> other() {
			return List.of();
		}

	}

	static class Itself {

		@DistributedLock(key = "'k'", fallback = "method")
		void method() {
		}

	}

	static class WithSkip {

		@DistributedLock(key = "'k'", fallback = "other", onFailure = OnFailure.SKIP)
		void method() {
		}

		void other() {
		}

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class OnClass {

		public void fit() {
		}

		public void misfit(String argument) {
		}

		void other() {
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

	@DistributedLock(key = "'k'", fallback = "other")
	static class PublicOnClass {

		public void other() {
		}

	}

	static class Second {

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", fallback = "other")
		void method() {
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
