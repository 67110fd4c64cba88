package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which annotation decides what becomes of a call without its lock, wherever they stand.
 */
class ReactionsTests {

	private static final String BY_CLASS = "true";

	private static final String BY_INTERFACE = "false";

	private static void refused(Class<?> bean, String key, String proxyTargetClass,
			ContextConsumer<ApplicationContext> test) {
		ApplicationContextRunner runner = LocalApplication.with(bean)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass);
		runner.run((context) -> LocalApplication.whileHeldElsewhere(context, key, () -> test.accept(context)));
	}

	private static void refused(Class<?> bean, String key, ContextConsumer<ApplicationContext> test) {
		refused(bean, key, BY_CLASS, test);
	}

	// Where they stand

	@ParameterizedTest
	@ValueSource(strings = { BY_CLASS, BY_INTERFACE })
	void annotationOfAnInterfaceFindsItsFallbackInTheClass(String proxyTargetClass) {
		refused(Implementation.class, "reactions-i", proxyTargetClass, (context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.method("x")).isEqualTo("instead x");
			assertThat(service.byDefault()).isEqualTo("default instead");
		});
	}

	@Test
	void annotationOfASuperclassMethodFindsItsFallbackInTheClass() {
		refused(Child.class, "reactions-p", (context) -> {
			assertThat(context.getBean(Child.class).inherited()).isEqualTo("instead in child");
			assertThat(context.getBean(Child.class).overridden()).isEqualTo("instead in child");
		});
	}

	@Test
	void annotationOfAClassStandsForItsPublicMethods() {
		refused(OnClass.class, "reactions-c", (context) -> {
			OnClass bean = context.getBean(OnClass.class);
			assertThat(bean.one()).isEqualTo("instead");
			assertThat(bean.two()).isEqualTo("instead");
			assertThat(bean.own()).isZero();
			assertThat(bean.notPublic()).isEqualTo("not public");
		});
	}

	@Test
	void methodsThatAreNotPublicAreLocked() {
		refused(NotPublic.class, "reactions-n", (context) -> {
			assertThat(context.getBean(NotPublic.class).packagePrivate()).isNull();
			assertThat(context.getBean(NotPublic.class).isProtected()).isNull();
		});
	}

	// Composed annotations

	@Test
	void composedAnnotationPassesItsAttributesOn() {
		refused(ComposedCalls.class, "reactions-x", (context) -> {
			ComposedCalls calls = context.getBean(ComposedCalls.class);
			assertThat(calls.skipped("x")).isNull();
			assertThat(calls.withFallback("x")).isEqualTo("instead x");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> calls.throwing("x"));
		});
	}

	@Test
	void composedAnnotationOfAComposedAnnotationDoesToo() {
		refused(ComposedCalls.class, "reactions-x", (context) -> {
			assertThat(context.getBean(ComposedCalls.class).twoLevels("x")).isEqualTo("instead x");
			assertThat(context.getBean(ComposedCalls.class).twoLevels("y")).isEqualTo("run");
		});
	}

	interface Service {

		@DistributedLock(key = "'reactions-i'", fallback = "instead")
		String method(String argument);

		@DistributedLock(key = "'reactions-i'", fallback = "insteadOfDefault")
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

	abstract static class Parent {

		@DistributedLock(key = "'reactions-p'", fallback = "instead")
		String inherited() {
			return "run";
		}

		@DistributedLock(key = "'reactions-p'", fallback = "instead")
		abstract String overridden();

		String instead() {
			return "instead in parent";
		}

	}

	static class Child extends Parent {

		@Override
		String overridden() {
			return "run";
		}

		@Override
		String instead() {
			return "instead in child";
		}

	}

	@DistributedLock(key = "'reactions-c'", fallback = "instead")
	static class OnClass {

		public String one() {
			return "one";
		}

		public Object two() {
			return "two";
		}

		@DistributedLock(key = "'reactions-c'", onFailure = OnFailure.SKIP)
		public int own() {
			return 1;
		}

		String notPublic() {
			return "not public";
		}

		private String instead() {
			return "instead";
		}

	}

	static class NotPublic {

		@DistributedLock(key = "'reactions-n'", onFailure = OnFailure.SKIP)
		String packagePrivate() {
			return "run";
		}

		@DistributedLock(key = "'reactions-n'", onFailure = OnFailure.SKIP)
		protected String isProtected() {
			return "run";
		}

	}

	static class ComposedCalls {

		@Composed(id = "'reactions-' + #id", onFailure = OnFailure.SKIP)
		String skipped(String id) {
			return "run";
		}

		@Composed(id = "'reactions-' + #id", otherwise = "instead")
		String withFallback(String id) {
			return "run";
		}

		@Composed(id = "'reactions-' + #id")
		String throwing(String id) {
			return "run";
		}

		@SecondLevel("'reactions-' + #id")
		String twoLevels(String id) {
			return "run";
		}

		private String instead(String id) {
			return "instead " + id;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface Composed {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String id();

		@AliasFor(annotation = DistributedLock.class)
		OnFailure onFailure() default OnFailure.THROW;

		@AliasFor(annotation = DistributedLock.class, attribute = "fallback")
		String otherwise() default "";

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Composed(id = "", otherwise = "instead")
	@interface SecondLevel {

		@AliasFor(annotation = Composed.class, attribute = "id")
		String value();

	}

}
