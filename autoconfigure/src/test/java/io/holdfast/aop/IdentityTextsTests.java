package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Keys that depend on the identity of an object, and keys that only look like it.
 */
class IdentityTextsTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final LockedMethods methods = new LockedMethods(this.beans, () -> {
		throw new AssertionError("No method is called");
	}, () -> new LockDefaults(Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, true, "test"));

	@BeforeEach
	void registerBean() {
		this.beans.registerSingleton("keys", new Keys());
	}

	private List<String> keys(String name, Object argument) {
		Method method = Arrays.stream(Calls.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		LockedMethod locked = this.methods.get(method, Calls.class);
		assertThat(locked).isNotNull();
		return locked.plan().request(new LockCall(method, new Object(), Calls.class, new Object[] { argument })).keys();
	}

	static Stream<Object> objects() {
		ProxyFactory proxy = new ProxyFactory(new Order("42"));
		proxy.setProxyTargetClass(true);
		Supplier<String> lambda = () -> "text";
		return Stream.of(new Order("42"), new EqualOrder("42"), new Described("42"), new Wrapping(new Order("42")),
				new Wrapping(new Described("42")), new Wrapping(new EqualOrder("")), new Numbered(new Order("42")),
				new Any(new Described("42")), new Any(lambda), new Amount(),
				new Any(new Any(Optional.of(new Amount()))), new Ship(new Order("42"), 1),
				new Fleet(new Ship(new Order("42"), 1)), new Blob(new byte[] { 1 }), new Names(new String[] { "a" }),
				new AtomicReference<>(new Order("42")), new CompletableFuture<>(), Map.entry("a", new Order("42")),
				proxy.getProxy(), jdkProxy(), lambda, new Object() {
				});
	}

	private static Object jdkProxy() {
		Order target = new Order("42");
		return Proxy.newProxyInstance(IdentityTextsTests.class.getClassLoader(), new Class<?>[] { Supplier.class },
				(proxy, method, args) -> method.invoke(target, args));
	}

	static Stream<Arguments> waysToAsk() {
		return objects().flatMap((object) -> Stream
			.of("itself", "concatenated", "before", "text", "valueOf", "format", "formatted", "concat", "byBean",
					"listed", "builder", "hash")
			.filter((way) -> !way.equals("hash") || object.getClass() == Order.class || object instanceof Ship)
			.filter((way) -> !way.equals("byBean") || object.getClass() == Order.class)
			.map((way) -> Arguments.of(way, object)));
	}

	@ParameterizedTest
	@MethodSource("waysToAsk")
	void identityIsRefused(String way, Object object) {
		assertRefused(way, object);
	}

	static Stream<Object> containers() {
		return objects()
			.flatMap((object) -> Stream.of(List.of("a", object), Set.of(object), Map.of("a", object),
					Map.of(object, "a"), Optional.of(object), List.of(List.of(object)), new Object[] { object }))
			.map(Arguments::of);
	}

	@ParameterizedTest
	@MethodSource("containers")
	void identityInAContainerIsRefused(Object container) {
		assertThatIllegalArgumentException().isThrownBy(() -> keys("concatenated", container));
		assertRefused("valueOf", container);
		if (!(container instanceof List || container instanceof Object[])) {
			assertRefused("itself", container);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "hash", "identityHash", "objectsHash", "objectsHashCode", "arraysHash" })
	void identityHashIsRefused(String way) {
		assertRefused(way, new Order("42"));
		assertRefused(way, LockMode.SHARED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "hash", "objectsHash", "objectsHashCode", "arraysHash" })
	void identityHashInARecordIsRefused(String way) {
		assertRefused(way, new Any(LockMode.SHARED));
		assertRefused(way, new Any(List.of(new Any(LockMode.SHARED))));
	}

	@Test
	void hashOfTheElementsOfAnArrayIsAKey() {
		assertThat(keys("hashOfElements", new int[] { 1, 2 }))
			.containsExactly(String.valueOf(Arrays.hashCode(new int[] { 1, 2 })));
		assertThat(keys("hashOfAll", List.of("a", 1))).containsExactly(String.valueOf(Objects.hash("a", 1)));
		assertRefused("hashOfAll", List.of(LockMode.SHARED));
	}

	@Test
	void identityHashOfATextIsRefused() {
		assertRefused("identityHash", "text");
	}

	private void assertRefused(String way, Object argument) {
		assertThatIllegalArgumentException().isThrownBy(() -> keys(way, argument))
			.withMessageContaining("The key of @DistributedLock on")
			.withMessageContaining("evaluated to the identity of an object")
			.withMessageContaining("Calls." + way)
			.withMessageContaining("use one of its properties");
	}

	static Stream<Arguments> usable() {
		String className = Order.class.getName();
		UUID id = UUID.fromString("0af4cb5e-95a3-4fae-a6c6-53b1b8f44cd5");
		return Stream.of(Arguments.of("user@abc123", "user@abc123"), Arguments.of("orders@2a", "orders@2a"),
				Arguments.of("B@1c2d3e", "B@1c2d3e"), Arguments.of(className + "@1b2c3d", className + "@1b2c3d"),
				Arguments.of(new Address("john@abc123"), "Address[mail=john@abc123]"),
				Arguments.of(new Address(className + "@abc.org"), "Address[mail=" + className + "@abc.org]"),
				Arguments.of(new Address(className + "@abcde.org"), "Address[mail=" + className + "@abcde.org]"),
				Arguments.of(new Address(className + "@a-b"), "Address[mail=" + className + "@a-b]"),
				Arguments.of(new Address(className + "@ash"), "Address[mail=" + className + "@ash]"),
				Arguments.of(new Text(className + "@1b2c3d"), className + "@1b2c3d"),
				Arguments.of(new Entity("1b2c3d"), Entity.class.getName() + "@1b2c3d"),
				Arguments.of(new Ship(null, 1), "Ship[order=null, boxes=1]"), Arguments.of(LockMode.SHARED, "SHARED"),
				Arguments.of(id, id.toString()), Arguments.of(Locale.ROOT, ""), Arguments.of(42L, "42"),
				Arguments.of(Map.of("user@abc123", "B@1c2d3e"), "{user@abc123=B@1c2d3e}"),
				Arguments.of(new byte[] { 10 }, "0a"));
	}

	@ParameterizedTest
	@MethodSource("usable")
	void textThatIsNoIdentityIsAKey(Object object, String text) {
		assertThat(keys("concatenated", object)).containsExactly("order_" + text);
		if (!(object instanceof byte[] || object instanceof Map)) {
			assertThat(keys("formatted", object)).containsExactly("order_" + text);
		}
	}

	@Test
	void objectThatIsNotPartOfTheKeyMayBeAny() {
		assertThat(keys("property", new Order("42"))).containsExactly("order_42@abc12345");
		assertThat(keys("ofBean", new Order("42"))).containsExactly("42@abc12345");
		assertThat(keys("className", new Order("abc123"))).containsExactly(Order.class.getName() + "@abc123");
		assertThat(keys("size", new Order("42"))).containsExactly("1");
		assertThat(keys("hash", "text")).containsExactly(String.valueOf("text".hashCode()));
	}

	static class Order {

		private final String id;

		Order(String id) {
			this.id = id;
		}

		public String getId() {
			return this.id;
		}

		public String mail() {
			return this.id + "@abc12345";
		}

	}

	static class EqualOrder {

		private final String id;

		EqualOrder(String id) {
			this.id = id;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof EqualOrder order && order.id.equals(this.id);
		}

		@Override
		public int hashCode() {
			return this.id.hashCode();
		}

	}

	/**
	 * As the builders of common libraries do it.
	 */
	static class Described {

		private final String id;

		Described(String id) {
			this.id = id;
		}

		@Override
		public String toString() {
			return "%s@%x[id=%s]".formatted(getClass().getName(), System.identityHashCode(this), this.id);
		}

	}

	static class Wrapping {

		private final Object order;

		Wrapping(Object order) {
			this.order = order;
		}

		@Override
		public String toString() {
			return "Wrapping(" + this.order + ")";
		}

	}

	static class Numbered {

		private final Object order;

		Numbered(Object order) {
			this.order = order;
		}

		@Override
		public String toString() {
			return this.order + "-1";
		}

	}

	static class Entity {

		private final String id;

		Entity(String id) {
			this.id = id;
		}

		@Override
		public String toString() {
			return getClass().getName() + "@" + this.id;
		}

	}

	record Ship(Order order, int boxes) {
	}

	/**
	 * A simple type by its superclass only.
	 */
	static class Amount extends Number {

		private static final long serialVersionUID = 1L;

		@Override
		public int intValue() {
			return 1;
		}

		@Override
		public long longValue() {
			return 1;
		}

		@Override
		public float floatValue() {
			return 1;
		}

		@Override
		public double doubleValue() {
			return 1;
		}

	}

	record Any(Object value) {
	}

	record Fleet(Ship first) {
	}

	record Blob(byte[] sha) {
	}

	record Names(String[] all) {
	}

	record Address(String mail) {
	}

	record Text(String text) implements CharSequence {

		@Override
		public int length() {
			return this.text.length();
		}

		@Override
		public char charAt(int index) {
			return this.text.charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this.text.subSequence(start, end);
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	public static class Keys {

		public String naming(Object order) {
			return "order-" + order;
		}

		public String of(Order order) {
			return order.mail();
		}

	}

	static class Calls {

		@DistributedLock("#o")
		void itself(Object o) {
		}

		@DistributedLock("'order_' + #o")
		void concatenated(Object o) {
		}

		@DistributedLock("#o + '-order'")
		void before(Object o) {
		}

		@DistributedLock("'order_' + #o.toString()")
		void text(Object o) {
		}

		@DistributedLock("T(String).valueOf(#o)")
		void valueOf(Object o) {
		}

		@DistributedLock("T(String).format('order_%s', #o)")
		void format(Object o) {
		}

		@DistributedLock("'order_%s'.formatted(#o)")
		void formatted(Object o) {
		}

		@DistributedLock("'order_'.concat(#o)")
		void concat(Object o) {
		}

		@DistributedLock("@keys.naming(#o)")
		void byBean(Object o) {
		}

		@DistributedLock("{'a', #o}")
		void listed(Object o) {
		}

		@DistributedLock("new StringBuilder('a').append(#o).toString()")
		void builder(Object o) {
		}

		@DistributedLock("#o.hashCode()")
		void hash(Object o) {
		}

		@DistributedLock("'order' + T(System).identityHashCode(#o)")
		void identityHash(Object o) {
		}

		@DistributedLock("T(java.util.Objects).hash('a', #o)")
		void objectsHash(Object o) {
		}

		@DistributedLock("T(java.util.Objects).hashCode(#o)")
		void objectsHashCode(Object o) {
		}

		@DistributedLock("T(java.util.Arrays).asList('a', #o).hashCode()")
		void arraysHash(Object o) {
		}

		@DistributedLock("T(java.util.Arrays).hashCode(#o)")
		void hashOfElements(int[] o) {
		}

		@DistributedLock("T(java.util.Objects).hash(#o)")
		void hashOfAll(List<?> o) {
		}

		@DistributedLock("'order_' + #o.mail()")
		void property(Order o) {
		}

		@DistributedLock("@keys.of(#o)")
		void ofBean(Order o) {
		}

		@DistributedLock("#o.class.name + '@' + #o.id")
		void className(Order o) {
		}

		@DistributedLock("{#o}.size()")
		void size(Order o) {
		}

	}

}
