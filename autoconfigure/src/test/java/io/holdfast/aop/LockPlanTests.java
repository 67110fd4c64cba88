package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What annotations come to for a call.
 */
class LockPlanTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final LockedMethods methods = RefusedMethods.methods(this.beans);

	private @Nullable LockRequest request(String name, Object... args) {
		Method method = Arrays.stream(Calls.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		LockedMethod locked = this.methods.get(method, Calls.class);
		assertThat(locked).isNotNull();
		return locked.plan().request(new LockCall(method, new Object(), Calls.class, args));
	}

	private List<String> keys(String name, Object... args) {
		return request(name, args).lockKeys();
	}

	// Attributes

	@Test
	void attributesThatAreSetReachTheRequest() {
		assertThat(request("everything")).isEqualTo(LockRequest.of("k")
			.name("n")
			.lease(Duration.ofMinutes(3))
			.waitFor(Duration.ofSeconds(2))
			.autoRenew(false)
			.minHold(Duration.ofSeconds(4))
			.maxHold(Duration.ofMinutes(5))
			.shared()
			.fair());
		assertThat(request("permitted")).isEqualTo(LockRequest.of("k").permits(3));
		assertThat(request("nameOnly")).isEqualTo(LockRequest.of("orders"));
	}

	@Test
	void attributesThatAreNotSetAreAsConfigured() {
		assertThat(request("usual")).isEqualTo(LockRequest.of("k"));
	}

	// Several keys

	static Stream<Object> severalKeys() {
		return Stream.of(List.of("3", "1", "2"), List.of("3", "1", "3", 1, "2", 3L),
				Arguments.of((Object) new String[] { "3", "1", "2" }),
				Arguments.of((Object) new Integer[] { 3, 1, 2, 1 }), new LinkedHashSet<>(List.of(3, 1, 2)),
				Optional.of(List.of(3, 1, 2)), List.of(Optional.of(3), 1, 2));
	}

	@ParameterizedTest
	@MethodSource("severalKeys")
	void collectionsAndArraysStandForTheirKeysAsGiven(Object keys) {
		assertThat(keys("any", keys)).containsExactly("3", "1", "2");
		assertThat(keys("named", keys)).containsExactly("n:3", "n:1", "n:2");
	}

	@Test
	void bytesAreOneKey() {
		assertThat(keys("any", (Object) new byte[] { 10, -1 })).containsExactly("0aff");
		assertThat(keys("any", List.of(new byte[] { 10 }, "x"))).containsExactly("0a", "x");
		assertThat(keys("projected", (Object) new int[] { 3, 1 })).containsExactly("3", "1");
		assertThat(keys("joined", (Object) new int[] { 3, 1 })).containsExactly("[3, 1]");
	}

	@Test
	void listWrittenInTheExpressionStandsForItsKeys() {
		assertThat(keys("listed", "x", 7)).containsExactly("x", "7");
	}

	static Stream<Arguments> unusableKeys() {
		return Stream.of(Arguments.of(Arrays.asList("a", null), "null"), Arguments.of(List.of("a", "b", " "), "blank"),
				Arguments.of(IntStream.rangeClosed(0, LockRequest.MOST_KEYS).boxed().toList(), "1000"),
				Arguments.of(new String[] { null }, "null"), Arguments.of(List.of(Optional.empty()), "null"),
				Arguments.of(List.of("a", new Object()), "java.lang.Object@"),
				Arguments.of(List.of("a", List.of("b")), "a nested collection"),
				Arguments.of(List.of(new int[] { 1 }), "identity"), Arguments.of(List.of(), "key"),
				Arguments.of(new Long[0], "key"), Arguments.of(new long[] { 1 }, ".![#this]"),
				Arguments.of(Optional.empty(), "null"), Arguments.of(null, "null"), Arguments.of(" ", "blank"));
	}

	@ParameterizedTest
	@MethodSource("unusableKeys")
	void keysThatCannotBeNameMethodAndExpression(Object keys, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> keys("any", keys))
			.withMessageContainingAll("@DistributedLock", "Calls.any(Object)", problem, "#keys");
	}

	@Test
	void fairLockOfSeveralKeysNamesMethodAndExpression() {
		assertThat(keys("fair", List.of("a"))).containsExactly("a");
		assertThatIllegalArgumentException().isThrownBy(() -> keys("fair", List.of("a", "b")))
			.withMessageContainingAll("Calls.fair(Object)", "#keys", "fair");
	}

	static Stream<Object> objectsWithoutAText() {
		ProxyFactory proxy = new ProxyFactory(new Keys());
		proxy.setProxyTargetClass(true);
		Supplier<String> lambda = () -> "text";
		return Stream.of(new Object(), new Keys(), lambda, proxy.getProxy(),
				new LockCall(Object.class.getMethods()[0], "bean", String.class, new Object[0]));
	}

	@ParameterizedTest
	@MethodSource("objectsWithoutAText")
	void identityIsNoKeyAndNoPartOfOne(Object object) {
		for (String method : List.of("any", "concatenated")) {
			assertThatIllegalArgumentException().isThrownBy(() -> keys(method, object))
				.withMessageContaining("Calls." + method)
				.withMessageContaining("identity of an object");
		}
	}

	@Test
	void textThatIsNoIdentityIsAKey() {
		String text = Keys.class.getName() + "@1b2c3d";
		assertThat(keys("any", text)).containsExactly(text);
		assertThat(keys("concatenated", text)).containsExactly("key " + text);
		assertThat(keys("concatenated", (Object) new byte[] { 10, -1 })).containsExactly("key 0aff");
		assertThat(keys("concatenated", LockMode.SHARED)).containsExactly("key SHARED");
	}

	// What expressions see

	@Test
	void expressionsSeeParametersRootAndBeans() {
		this.beans.registerSingleton("tenants", new Keys());
		assertThat(keys("byPosition", "a", "b")).containsExactly("a-b");
		assertThat(keys("byRoot", "x")).containsExactly("byRoot-Calls-true-x");
		assertThat(keys("byBean", "x")).containsExactly("of x");
	}

	@Test
	void expressionThatFailsNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> keys("byProperty", (Object) null))
			.withMessageContainingAll("Calls.byProperty(Optional)", "#order.value");
		assertThatIllegalArgumentException().isThrownBy(() -> request("oddCondition"))
			.withMessageContainingAll("condition", "java.lang.String", "Calls.oddCondition()");
		assertThatIllegalArgumentException().isThrownBy(() -> request("withoutQuotes"))
			.withMessageContainingAll("Calls.withoutQuotes()", "'nightly'");
	}

	@Test
	void classIsFoundAlsoByAThreadThatDoesNotKnowTheApplication() {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
		try {
			assertThat(keys("byClass", "x")).containsExactly("of x");
		}
		finally {
			thread.setContextClassLoader(own);
		}
	}

	@Test
	void callWhoseConditionIsFalseNeedsNoLock() {
		assertThat(request("conditional", true, true).lockKeys()).containsExactly("a");
		assertThat(request("conditional", false, true)).isNull();
	}

	interface Calls {

		@DistributedLock("#keys.![#this]")
		void projected(int[] keys);

		@DistributedLock("T(java.util.Arrays).toString(#keys)")
		void joined(int[] keys);

		@DistributedLock(key = "'k'")
		void usual();

		@DistributedLock(name = "n", key = "'k'", lease = "3m", waitFor = "2s", autoRenew = false, minHold = "4s",
				maxHold = "5m", mode = LockMode.SHARED, fair = true)
		void everything();

		@DistributedLock(key = "'k'", permits = 3)
		void permitted();

		@DistributedLock(name = "orders")
		void nameOnly();

		@DistributedLock(key = "#keys")
		void any(Object keys);

		@DistributedLock(key = "#keys", fair = true)
		void fair(Object keys);

		@DistributedLock("'key ' + #part")
		void concatenated(Object part);

		@DistributedLock(name = "n", key = "#keys")
		void named(Object keys);

		@DistributedLock(key = "{#from, #to}")
		void listed(Object from, Object to);

		@DistributedLock(key = "T(io.holdfast.aop.LockPlanTests$Keys).of(#id)")
		void byClass(String id);

		@DistributedLock("#p0 + '-' + #a1")
		void byPosition(String first, String second);

		@DistributedLock(key = "#root.method.name + '-' + #root.targetClass.simpleName + '-'"
				+ " + (#root.target != null) + '-' + #root.args[0]")
		void byRoot(String argument);

		@DistributedLock(key = "@tenants.of(#key)")
		void byBean(String key);

		@DistributedLock(key = "#order.value")
		void byProperty(Optional<String> order);

		@DistributedLock(key = "'odd'", condition = "'maybe'")
		void oddCondition();

		@DistributedLock(key = "nightly")
		void withoutQuotes();

		@DistributedLock(key = "'a'", condition = "#first && #second")
		void conditional(boolean first, boolean second);

	}

	static class Keys {

		public static String of(String id) {
			return "of " + id;
		}

	}

}
