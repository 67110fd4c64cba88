package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedLocks;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What annotations come to for a call.
 */
class LockPlanTests {

	private final LockedMethods methods = new LockedMethods(new DefaultListableBeanFactory(), () -> {
		throw new AssertionError("No method is called");
	}, () -> new LockDefaults(Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, true, "test"));

	private List<LockRequest> requests(Class<?> type, String name, Object... args) {
		Method method = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		LockedMethod locked = this.methods.get(method, type);
		assertThat(locked).isNotNull();
		return locked.locks(new LockCall(method, new Object(), type, args)).stream().map(PlannedLock::request).toList();
	}

	private List<LockRequest> requests(String name, Object... args) {
		return requests(Calls.class, name, args);
	}

	private List<List<String>> keys(String name, Object... args) {
		return requests(name, args).stream().map(LockRequest::lockKeys).toList();
	}

	// Mode and fairness

	@Test
	void modeIsThatOfTheAnnotation() {
		assertThat(requests("shared")).extracting(LockRequest::mode).containsExactly(LockMode.SHARED);
		assertThat(requests("usual")).extracting(LockRequest::mode).containsExactly(LockMode.EXCLUSIVE);
	}

	@Test
	void orderIsAsConfiguredUnlessTheAnnotationIsFair() {
		assertThat(requests("fair")).extracting(LockRequest::ordered).containsExactly(true);
		assertThat(requests("usual")).extracting(LockRequest::ordered).containsOnlyNulls();
	}

	// Several keys of one annotation

	static Stream<Object> severalKeys() {
		return Stream.of(List.of("3", "1", "2"), List.of("3", "1", "3", 1, "2", 3L),
				Arguments.of((Object) new String[] { "3", "1", "2" }),
				Arguments.of((Object) new Integer[] { 3, 1, 2, 1 }), new LinkedHashSet<>(List.of(3, 1, 2)),
				Optional.of(List.of(3, 1, 2)), List.of(Optional.of(3), 1, 2));
	}

	@ParameterizedTest
	@MethodSource("severalKeys")
	void collectionsAndArraysStandForTheirKeysAsGiven(Object keys) {
		assertThat(keys("any", keys)).containsExactly(List.of("3", "1", "2"));
		assertThat(keys("named", keys)).containsExactly(List.of("n:3", "n:1", "n:2"));
	}

	@Test
	void bytesAreOneKey() {
		assertThat(keys("any", (Object) new byte[] { 10, -1 })).containsExactly(List.of("0aff"));
		assertThat(keys("any", List.of(new byte[] { 10 }, "x"))).containsExactly(List.of("0a", "x"));
		assertThat(keys("projected", (Object) new int[] { 3, 1 })).containsExactly(List.of("3", "1"));
		assertThat(keys("joined", (Object) new int[] { 3, 1 })).containsExactly(List.of("[3, 1]"));
	}

	@Test
	void listWrittenInTheExpressionStandsForItsKeys() {
		assertThat(keys("listed", "x", 7)).containsExactly(List.of("x", "7"));
	}

	static Stream<Arguments> unusableKeys() {
		return Stream.of(Arguments.of(Arrays.asList("a", null), "null at index 1"),
				Arguments.of(List.of("a", "b", " "), "a blank key at index 2"),
				Arguments.of(IntStream.rangeClosed(0, LockRequest.MOST_KEYS).boxed().toList(),
						"1001 keys, more than the 1000"),
				Arguments.of(new String[] { null }, "null at index 0"),
				Arguments.of(List.of(Optional.empty()), "null at index 0"),
				Arguments.of(List.of("a", new Object()), "the identity of an object at index 1, 'java.lang.Object@"),
				Arguments.of(new LockCall(Object.class.getMethods()[0], "bean", String.class, new Object[0]),
						"the call itself"),
				Arguments.of(List.of("a", List.of("b")), "a nested collection at index 1"),
				Arguments.of(List.of(new int[] { 1 }), "a nested collection at index 0"),
				Arguments.of(List.of(), "no keys"), Arguments.of(Collections.emptySet(), "no keys"),
				Arguments.of(new Long[0], "no keys"),
				Arguments.of(new long[] { 1 }, "long[]: use '.![#this]' for a key for each element"),
				Arguments.of(Optional.empty(), "null:"), Arguments.of(null, "null:"),
				Arguments.of(" ", "a blank key:"));
	}

	@ParameterizedTest
	@MethodSource("unusableKeys")
	void keysThatCannotBeNameMethodExpressionAndElement(Object keys, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> keys("any", keys))
			.withMessageContaining("The key of @DistributedLock on")
			.withMessageContaining("Calls.any(Object)")
			.withMessageContaining("evaluated to")
			.withMessageContaining(problem)
			.withMessageEndingWith(": #keys");
	}

	// Classes in expressions

	@Test
	void classIsFoundAlsoByAThreadThatDoesNotKnowTheApplication() {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
		try {
			assertThat(keys("byClass", "x")).containsExactly(List.of("of x"));
		}
		finally {
			thread.setContextClassLoader(own);
		}
	}

	// Several annotations

	@Test
	void annotationsThatDifferOnlyInTheirKeysMakeOneRequest() {
		assertThat(requests("alike", "b", List.of("a", "c"))).singleElement().satisfies((request) -> {
			assertThat(request.keys()).containsExactlyInAnyOrder("a", "b", "c", "d");
			assertThat(request.name()).isEqualTo("n");
			assertThat(request.waitFor()).isEqualTo(Duration.ofSeconds(2));
			assertThat(request.lease()).isNull();
		});
	}

	@Test
	void sameKeyAskedTwiceAlikeIsOneKey() {
		assertThat(keys("alike", "d", "d")).containsExactly(List.of("n:d"));
	}

	@Test
	void thoseWhoseConditionIsFalseAreLeftOut() {
		assertThat(keys("conditional", true, true)).containsExactly(List.of("a", "b"));
		assertThat(keys("conditional", true, false)).containsExactly(List.of("a"));
		assertThat(keys("conditional", false, true)).containsExactly(List.of("b"));
		assertThat(keys("conditional", false, false)).isEmpty();
	}

	@Test
	void othersAreNestedInTheOrderOfTheirLockKeys() {
		assertThat(keys("different", "x", "y")).containsExactly(List.of("a:y"), List.of("x"));
		assertThat(requests("different", "x", "y")).extracting(LockRequest::waitFor)
			.containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(1));
		assertThat(keys("different", "A", "y")).containsExactly(List.of("A"), List.of("a:y"));
	}

	@Test
	void keysOfOneAnnotationAreSplitWhereTheOrderWantsIt() {
		assertThat(keys("mixed", List.of("a", "d", "b"), "c")).containsExactly(List.of("a", "b"), List.of("c"),
				List.of("d"));
		assertThat(keys("mixed", List.of("b", "a"), "c")).containsExactly(List.of("a", "b"), List.of("c"));
	}

	@ParameterizedTest
	@MethodSource("attributes")
	void eachAttributeTellsAnnotationsApart(String method) {
		assertThat(requests(method)).hasSize(2);
	}

	static Stream<String> attributes() {
		return Stream.of("otherName", "otherLease", "otherWait", "otherMode", "otherFairness", "otherRenewal",
				"otherMaxHold", "otherMinHold", "otherReaction", "otherFallback");
	}

	@ParameterizedTest
	@ValueSource(strings = { "sameFallback", "sameReaction" })
	void annotationsThatReactAlikeMakeOneRequest(String method) {
		assertThat(keys(method)).containsExactly(List.of("a", "b"));
	}

	@Test
	void exclusiveComesBeforeSharedOfTheSameKey() {
		assertThat(requests("both")).extracting(LockRequest::mode).containsExactly(LockMode.EXCLUSIVE, LockMode.SHARED);
		assertThat(keys("both")).containsExactly(List.of("k"), List.of("k"));
	}

	@Test
	void containerAndComposedAnnotationsCountAsRepeated() {
		assertThat(keys("container")).containsExactly(List.of("a", "b"));
		assertThat(keys("composed")).containsExactly(List.of("a", "b", "c"));
	}

	@Test
	void annotationsOfTheMethodWinOverThoseOfTheClass() {
		assertThat(requests(OnClass.class, "none")).extracting(LockRequest::keys).containsExactly(List.of("x", "y"));
		assertThat(requests(OnClass.class, "own")).extracting(LockRequest::keys).containsExactly(List.of("own"));
		assertThat(requests(OnClass.class, "two")).extracting(LockRequest::keys).containsExactly(List.of("a", "b"));
	}

	static class Calls {

		@DistributedLock("#keys.![#this]")
		void projected(int[] keys) {
		}

		@DistributedLock("T(java.util.Arrays).toString(#keys)")
		void joined(int[] keys) {
		}

		@DistributedLock(key = "'k'")
		void usual() {
		}

		@DistributedLock(key = "'k'", mode = LockMode.SHARED)
		void shared() {
		}

		@DistributedLock(key = "'k'", fair = true)
		void fair() {
		}

		@DistributedLock(key = "#keys")
		void any(Object keys) {
		}

		@DistributedLock(name = "n", key = "#keys")
		void named(Object keys) {
		}

		@DistributedLock(key = "{#from, #to}")
		void listed(Object from, Object to) {
		}

		@DistributedLock(key = "T(io.holdfast.aop.LockPlanTests$Keys).of(#id)")
		void byClass(String id) {
		}

		@DistributedLock(name = "n", key = "#one", waitFor = "2s")
		@DistributedLock(name = "n", key = "#more", waitFor = "2s")
		@DistributedLock(name = "n", key = "'d'", waitFor = "PT2S")
		void alike(Object one, Object more) {
		}

		@DistributedLock(key = "'a'", condition = "#first")
		@DistributedLock(key = "'b'", condition = "#second")
		void conditional(boolean first, boolean second) {
		}

		@DistributedLock(key = "#first", waitFor = "1s")
		@DistributedLock(name = "a", key = "#second", waitFor = "2s")
		void different(String first, String second) {
		}

		@DistributedLock(key = "#first")
		@DistributedLock(key = "#second", mode = LockMode.SHARED)
		void mixed(List<String> first, String second) {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", name = "other")
		void otherName() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", lease = "3s")
		void otherLease() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", waitFor = "3s")
		void otherWait() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", mode = LockMode.SHARED)
		void otherMode() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", fair = true)
		void otherFairness() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", autoRenew = false)
		void otherRenewal() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", maxHold = "3s")
		void otherMaxHold() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", minHold = "3s")
		void otherMinHold() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", onFailure = OnFailure.SKIP)
		void otherReaction() {
		}

		@DistributedLock(key = "'a'", fallback = "usual")
		@DistributedLock(key = "'b'", fallback = "shared")
		void otherFallback() {
		}

		@DistributedLock(key = "'a'", fallback = "usual")
		@DistributedLock(key = "'b'", fallback = "usual")
		void sameFallback() {
		}

		@DistributedLock(key = "'a'", onFailure = OnFailure.SKIP)
		@DistributedLock(key = "'b'", onFailure = OnFailure.SKIP)
		void sameReaction() {
		}

		@DistributedLock(key = "'k'", mode = LockMode.SHARED)
		@DistributedLock(key = "'k'")
		void both() {
		}

		@DistributedLocks({ @DistributedLock(key = "'b'"), @DistributedLock(key = "'a'") })
		void container() {
		}

		@DistributedLock(key = "'c'")
		@Both
		void composed() {
		}

	}

	@DistributedLock(key = "'x'")
	@DistributedLock(key = "'y'")
	static class OnClass {

		public void none() {
		}

		@DistributedLock(key = "'own'")
		public void own() {
		}

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'")
		public void two() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'a'")
	@DistributedLock(key = "'b'")
	@interface Both {

	}

	static class Keys {

		public static String of(String id) {
			return "of " + id;
		}

	}

}
