package io.holdfast.autoconfigure;

import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.autoconfigure.other.PackagePrivate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.ApplicationObjectSupport;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Annotations that a proxy cannot see are refused at startup, others are not.
 */
class ProxyVisibilityTests {

	private static final String BY_INTERFACES = "spring.aop.proxy-target-class=false";

	private static final String NOT_PRIVATE = "Make the method at least package-private, or lock in its callers.";

	private static final String NOT_STATIC = "Make it a method of the bean, or use LockTemplate in it.";

	private static final String NOT_FINAL = "Make the method not final (in Kotlin: open, by hand or by the kotlin-spring plugin), or lock in its callers. If the"
			+ " annotation is on the class, put it on the methods that need it instead.";

	private static final String OPEN = "Make the class neither final nor sealed (in Kotlin: open, by hand or by the kotlin-spring plugin).";

	private static void assertRefused(Class<?> type, String method, String problem, String action,
			String... properties) {
		assertRefused(type, type, method, problem, action, properties);
	}

	private static void assertRefused(Class<?> bean, Class<?> declaring, String method, String problem, String action,
			String... properties) {
		FailureAnalysis analysis = FailedStart.with(bean, properties);
		assertThat(analysis.getDescription())
			.isEqualTo("@DistributedLock on %s.%s would have no effect: the method %s, where no proxy can see it."
				.formatted(declaring.getName(), method, problem));
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	private static void assertAccepted(Class<?> type, String... properties) {
		FailedStart.application(type)
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void privateMethodIsRefused() {
		assertRefused(PrivateMethod.class, "method(String)", "is private", NOT_PRIVATE);
		assertRefused(PrivateMethod.class, "method(String)", "is private", NOT_PRIVATE, BY_INTERFACES);
		assertRefused(InheritedPrivateMethod.class, PrivateMethod.class, "method(String)", "is private", NOT_PRIVATE);
	}

	@Test
	void staticMethodIsRefused() {
		assertRefused(StaticMethod.class, "method()", "is static", NOT_STATIC);
		assertRefused(StaticMethodOfInterface.class, WithStatic.class, "method()", "is static", NOT_STATIC);
	}

	@Test
	void finalMethodIsRefused() {
		assertRefused(FinalMethod.class, "method()", "is final", NOT_FINAL);
		assertRefused(FinalOverride.class, "method()", "is final", NOT_FINAL);
		assertRefused(FinalUnderClass.class, "method()", "is final", NOT_FINAL);
		assertRefused(FinalBelowClass.class, "method()", "is final", NOT_FINAL);
	}

	@Test
	void finalMethodOfAnInterfaceIsSeenByAProxyOfThatInterface() {
		assertRefused(FinalImplementation.class, "call()", "is final", NOT_FINAL);
		assertAccepted(FinalImplementation.class, BY_INTERFACES);
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalClass.class, FinalAnnotatedClass.class, SealedClass.class })
	void classThatCannotBeExtendedIsRefused(Class<?> type) {
		assertRefused(type, "call()", "is in a class that cannot be extended, " + type.getName(), OPEN);
		assertAccepted(type, BY_INTERFACES);
	}

	@Test
	void finalClassWithoutAnInterfaceIsRefusedInAnyCase() {
		assertRefused(FinalClassAlone.class, "method()",
				"is in a class that cannot be extended, " + FinalClassAlone.class.getName(), OPEN, BY_INTERFACES);
	}

	@Test
	void recordIsRefused() {
		assertRefused(ARecord.class, "method()", "is in a class that cannot be extended, " + ARecord.class.getName(),
				"Make the record a class.");
	}

	@Test
	void finalProductOfAFactoryIsRefused() {
		assertRefused(FinalClassFactory.class, FinalClassAlone.class, "method()",
				"is in a class that cannot be extended, " + FinalClassAlone.class.getName(), OPEN);
	}

	@Test
	void methodThatNoInterfaceHasIsRefused() {
		String problem = "is in none of the interfaces through which the bean is called, " + Callable.class.getName();
		String action = "Declare the method in one of them, or have classes proxied: 'spring.aop.proxy-target-class=true'.";
		assertRefused(BesidesTheInterface.class, "besides()", problem, action, BY_INTERFACES);
		assertAccepted(BesidesTheInterface.class);
	}

	@Test
	void annotatedClassMayHaveMethodsThatNoInterfaceHas() {
		assertAccepted(AnnotatedBesidesTheInterface.class, BY_INTERFACES);
	}

	@Test
	void beanChoosesTheKindOfItsProxy() {
		assertRefused(ForcedClass.class, FinalImplementation.class, "call()", "is final", NOT_FINAL, BY_INTERFACES);
		assertAccepted(ForcedInterfaces.class);
	}

	@Test
	void packagePrivateMethodOfAnotherPackageIsRefused() {
		assertRefused(FromAnotherPackage.class, PackagePrivate.class, "method()",
				"is package-private in a superclass from another package", "Make the method protected or public.");
		assertAccepted(PackagePrivate.class);
	}

	@Test
	void beanThatIsCreatedBeforeItCouldGetAProxyIsRefused() {
		assertRefused(EarlyBean.class, Overridden.class, "method()",
				"belongs to the bean 'early', which is created before those that make proxies",
				"See that no BeanPostProcessor depends on the bean, or let it ask for the bean later (ObjectProvider).");
	}

	@ParameterizedTest
	@ValueSource(classes = { NotMeant.class, FrameworkClass.class, GenericImplementation.class, AnonymousBeans.class,
			Lambda.class, ScopedBean.class, PackagePrivateMethod.class })
	void everythingElseIsAccepted(Class<?> type) {
		assertAccepted(type);
		assertAccepted(type, BY_INTERFACES);
	}

	@Test
	void lazyBeanIsCheckedWhenItIsCreated() {
		FailedStart.application(PrivateMethod.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(factory) -> factory.getBeanDefinition(factory.getBeanNamesForType(PrivateMethod.class)[0])
						.setLazyInit(true)))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatThrownBy(() -> context.getBean(PrivateMethod.class)).rootCause()
					.hasMessageContaining("is private");
			});
	}

	static class PrivateMethod {

		@DistributedLock(key = "#key")
		private void method(String key) {
		}

		void caller() {
			method("k");
		}

	}

	static class InheritedPrivateMethod extends PrivateMethod {

	}

	static class StaticMethod {

		@DistributedLock(key = "'k'")
		static void method() {
		}

	}

	interface WithStatic {

		@DistributedLock(key = "'k'")
		static void method() {
		}

	}

	static class StaticMethodOfInterface implements WithStatic {

	}

	static class FinalMethod {

		@DistributedLock(key = "'k'")
		final void method() {
		}

	}

	static class Overridden {

		@DistributedLock(key = "'k'")
		void method() {
		}

	}

	static class FinalOverride extends Overridden {

		@Override
		final void method() {
		}

	}

	@DistributedLock(key = "'k'")
	static class FinalUnderClass {

		public final void method() {
		}

	}

	static class FinalBelowClass extends AnnotatedParent {

		public final void method() {
		}

	}

	@DistributedLock(key = "'k'")
	static class AnnotatedParent {

	}

	interface Callable {

		void call();

	}

	static class FinalImplementation implements Callable {

		@Override
		@DistributedLock(key = "'k'")
		public final void call() {
		}

	}

	static final class FinalClass implements Callable {

		@Override
		@DistributedLock(key = "'k'")
		public void call() {
		}

	}

	@DistributedLock(key = "'k'")
	static final class FinalAnnotatedClass implements Callable {

		@Override
		public void call() {
		}

	}

	static sealed class SealedClass implements Callable {

		@Override
		@DistributedLock(key = "'k'")
		public void call() {
		}

	}

	static final class OnlySubclass extends SealedClass {

	}

	static final class FinalClassAlone {

		@DistributedLock(key = "'k'")
		void method() {
		}

	}

	record ARecord() {

		@DistributedLock(key = "'k'")
		public void method() {
		}

	}

	static class FinalClassFactory implements SmartFactoryBean<FinalClassAlone> {

		@Override
		public boolean isEagerInit() {
			return true;
		}

		@Override
		public FinalClassAlone getObject() {
			return new FinalClassAlone();
		}

		@Override
		public Class<?> getObjectType() {
			return FinalClassAlone.class;
		}

	}

	static class BesidesTheInterface implements Callable {

		@Override
		@DistributedLock(key = "'k'")
		public void call() {
		}

		@DistributedLock(key = "'k'")
		public void besides() {
		}

	}

	@DistributedLock(key = "'k'")
	static class AnnotatedBesidesTheInterface implements Callable {

		@Override
		public void call() {
		}

		public void besides() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForcedClass {

		@Bean
		@Proxyable(ProxyType.TARGET_CLASS)
		FinalImplementation bean() {
			return new FinalImplementation();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForcedInterfaces {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		Callable bean() {
			return new FinalImplementation();
		}

	}

	static class FromAnotherPackage extends PackagePrivate {

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
		Overridden anonymous() {
			return new Overridden() {
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
		Overridden scoped() {
			return new Overridden();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyBean {

		@Bean
		static Overridden early() {
			return new Overridden();
		}

		@Bean
		static OrderedPostProcessor postProcessor(Overridden early) {
			return new OrderedPostProcessor(early);
		}

	}

	record OrderedPostProcessor(Overridden early) implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
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
