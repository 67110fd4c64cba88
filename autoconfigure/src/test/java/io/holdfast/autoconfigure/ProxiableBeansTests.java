package io.holdfast.autoconfigure;

import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.aop.LocalApplication;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.ApplicationObjectSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated methods, and what only looks like them, that need not be refused.
 */
class ProxiableBeansTests {

	static void assertAccepted(Class<?> type, String... properties) {
		LocalApplication.with(type).withPropertyValues(properties).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { NotMeant.class, FrameworkClass.class, GenericImplementation.class, AnonymousBeans.class,
			Lambda.class, ScopedBean.class, PackagePrivateMethod.class })
	void everythingElseIsAccepted(Class<?> type) {
		assertAccepted(type);
		assertAccepted(type, ProxyVisibilityTests.BY_INTERFACES);
	}

	@DistributedLock(key = "'k'")
	static class NotMeant {

		public void method() {
		}

		public static String notMeant() {
			return "";
		}

		private String hidden() {
			return "";
		}

		final String notPublic() {
			return hidden();
		}

		@Override
		public final boolean equals(Object other) {
			return this == other;
		}

		@Override
		public final int hashCode() {
			return 1;
		}

		@Override
		public final String toString() {
			return "text";
		}

	}

	@DistributedLock(key = "'k'")
	static class FrameworkClass extends ApplicationObjectSupport {

		public void method() {
		}

	}

	interface Handler<T> {

		void handle(T value);

		@DistributedLock(key = "'k'")
		default void other(T value) {
		}

	}

	static class GenericImplementation implements Handler<String> {

		@Override
		@DistributedLock(key = "#value")
		public void handle(String value) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnonymousBeans {

		@Bean
		ProxyVisibilityTests.Overridden anonymous() {
			return new ProxyVisibilityTests.Overridden() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambda {

		@Bean
		LockedSupplier supplier() {
			return () -> "text";
		}

	}

	@FunctionalInterface
	interface LockedSupplier extends Supplier<String> {

		@Override
		@DistributedLock(key = "'k'")
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBean {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		ProxyVisibilityTests.Overridden scoped() {
			return new ProxyVisibilityTests.Overridden();
		}

	}

	static class PackagePrivateMethod {

		@DistributedLock(key = "'k'")
		void packagePrivate() {
		}

		@DistributedLock(key = "'k'")
		protected void isProtected() {
		}

	}

}
