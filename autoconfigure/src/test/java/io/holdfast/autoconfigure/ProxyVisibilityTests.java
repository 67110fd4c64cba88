package io.holdfast.autoconfigure;

import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.aop.InvalidDistributedLockException;
import io.holdfast.aop.LocalApplication;
import io.holdfast.autoconfigure.other.PackagePrivate;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Annotations that a proxy cannot see are refused at startup, others are not.
 */
class ProxyVisibilityTests {

	static final String BY_INTERFACES = "spring.aop.proxy-target-class=false";

	private static final String OVERRIDABLE = "Make the method neither private nor static nor final (in Kotlin: open, by hand or by the kotlin-spring plugin), or lock in its callers."
			+ " If the annotation is on the class, put it on the methods that need it instead.";

	private static final String LATER = "Let no BeanPostProcessor or BeanFactoryPostProcessor depend on the bean,"
			+ " or let it get the bean later (ObjectProvider). If the bean is an aspect, move the method to another one.";

	private static final String OPEN = "Make the class neither final nor sealed nor a record (in Kotlin: open, by hand or by the kotlin-spring plugin).";

	private static final String NOT_EXTENSIBLE = "is in a class that cannot be extended (Could not generate CGLIB subclass of class TYPE";

	static Stream<Arguments> refused() {
		return Stream.of(row(PrivateMethod.class, PrivateMethod.class, "method(String)", "is private", OVERRIDABLE),
				row(InheritedPrivateMethod.class, PrivateMethod.class, "method(String)", "is private", OVERRIDABLE),
				row(StaticMethod.class, StaticMethod.class, "method()", "is static", OVERRIDABLE),
				row(StaticMethodOfInterface.class, WithStatic.class, "method()", "is static", OVERRIDABLE),
				row(FinalMethod.class, FinalMethod.class, "method()", "is final", OVERRIDABLE),
				row(FinalOverride.class, FinalOverride.class, "method()", "is final", OVERRIDABLE),
				row(FinalUnderClass.class, FinalUnderClass.class, "method()", "is final", OVERRIDABLE),
				row(FinalBelowClass.class, FinalBelowClass.class, "method()", "is final", OVERRIDABLE),
				row(FinalImplementation.class, FinalImplementation.class, "call()", "is final", OVERRIDABLE),
				row(FinalClass.class, FinalClass.class, "call()", NOT_EXTENSIBLE, OPEN),
				row(FinalAnnotatedClass.class, FinalAnnotatedClass.class, "call()", NOT_EXTENSIBLE, OPEN),
				row(SealedClass.class, SealedClass.class, "call()", NOT_EXTENSIBLE, OPEN),
				row(FinalClassFactory.class, FinalClassAlone.class, "method()", NOT_EXTENSIBLE, OPEN),
				row(ARecord.class, ARecord.class, "method()", NOT_EXTENSIBLE, OPEN),
				row(FromAnotherPackage.class, PackagePrivate.class, "method()",
						"is package-private in a superclass from another package",
						"Make the method protected or public."),
				row(EarlyBean.class, Overridden.class, "method()",
						"belongs to the bean 'early', which is created before the beans that create proxies",
						"Make sure that no BeanPostProcessor depends on the bean, or let it get the bean later (ObjectProvider)."),
				row(BeanOfPriorityPostProcessor.class, Overridden.class, "method()",
						"belongs to the bean 'early', which has no proxy", LATER),
				row(BeanOfFactoryPostProcessor.class, Overridden.class, "method()",
						"belongs to the bean 'early', which has no proxy", LATER),
				row(AnAspect.class, AnAspect.class, "method()",
						"belongs to the bean 'proxyVisibilityTests.AnAspect', which has no proxy", LATER));
	}

	static Stream<Arguments> refusedByInterfaces() {
		return Stream.of(row(PrivateMethod.class, PrivateMethod.class, "method(String)", "is private", OVERRIDABLE),
				row(FinalClassAlone.class, FinalClassAlone.class, "method()", NOT_EXTENSIBLE, OPEN),
				row(ForcedClass.class, FinalImplementation.class, "call()", "is final", OVERRIDABLE),
				row(BesidesTheInterface.class, BesidesTheInterface.class, "besides()",
						"is in none of the interfaces through which the bean is called",
						"Declare the method in one of them, or have classes proxied: 'spring.aop.proxy-target-class=true'."));
	}

	private static Arguments row(Class<?> bean, Class<?> declaring, String method, String problem, String action) {
		return Arguments.of(bean, declaring, method, problem.replace("TYPE", declaring.getName()), action);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Class<?> bean, Class<?> declaring, String method, String problem, String action) {
		assertRefused(FailureAnalyses.ofStartWith(bean), declaring, method, problem, action);
	}

	@ParameterizedTest
	@MethodSource("refusedByInterfaces")
	void isRefusedWhereProxiesAreForInterfaces(Class<?> bean, Class<?> declaring, String method, String problem,
			String action) {
		assertRefused(FailureAnalyses.ofStartWith(bean, BY_INTERFACES), declaring, method, problem, action);
	}

	private static void assertRefused(FailureAnalysis analysis, Class<?> declaring, String method, String problem,
			String action) {
		assertThat(analysis.getDescription())
			.startsWith("@DistributedLock on %s.%s would have no effect: the method %s".formatted(declaring.getName(),
					method, problem))
			.endsWith(", and no proxy can intercept it.");
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalImplementation.class, FinalClass.class, FinalAnnotatedClass.class, SealedClass.class,
			AnnotatedBesidesTheInterface.class })
	void isAcceptedWhereProxiesAreForInterfaces(Class<?> bean) {
		ProxiableBeansTests.assertAccepted(bean, BY_INTERFACES);
	}

	@ParameterizedTest
	@ValueSource(classes = { BesidesTheInterface.class, ForcedInterfaces.class, PackagePrivate.class })
	void isAcceptedWhereTheProxySeesIt(Class<?> bean) {
		ProxiableBeansTests.assertAccepted(bean);
	}

	@Test
	void scheduledMethodOfABeanInACircularReferenceIsRefused() {
		FailureAnalysis analysis = FailureAnalyses.of(LocalApplication.with(ScheduledInACircle.class)
			.withBean("inACircle", InACircle.class)
			.withAllowCircularReferences(true));
		assertThat(analysis.getDescription()).contains(
				"InACircle.method() would have no effect: the method is called on the object itself, as the bean 'inACircle' is part of a circular reference");
		assertThat(analysis.getAction())
			.isEqualTo("Let one of the beans get the other one later (ObjectProvider, or @Lazy).");
	}

	@Test
	void otherMethodsInACircularReferenceAreLocked() {
		LocalApplication.with(OtherInACircle.class)
			.withAllowCircularReferences(true)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(OtherInACircle.class).self())).isTrue());
	}

	@Test
	void beanOfAChildContextWithoutProxiesIsRefused() {
		LocalApplication.with().run((parent) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(parent);
				child.registerBean("ofChild", Overridden.class);
				assertThatExceptionOfType(InvalidDistributedLockException.class).isThrownBy(child::refresh)
					.withMessageContaining("belongs to the bean 'ofChild', which has no proxy");
			}
		});
	}

	@Test
	void childContextWithTheAutoConfigurationHasProxiesAndChecks() {
		LocalApplication.with().run((parent) -> {
			ApplicationContextRunner child = LocalApplication.with(Overridden.class).withParent(parent);
			child.run((context) -> assertThat(context).getBean(Overridden.class)
				.satisfies((bean) -> assertThat(AopUtils.isAopProxy(bean)).isTrue()));
			child.withUserConfiguration(FinalMethod.class)
				.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("is final"));
		});
	}

	@Test
	void lazyBeanIsCheckedWhenItIsCreated() {
		LocalApplication.with(PrivateMethod.class)
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

	/**
	 * As Shiro's LifecycleBeanPostProcessor, in a class with the beans that need it.
	 */
	@Configuration(proxyBeanMethods = false)
	static class BeanOfPriorityPostProcessor {

		@Bean
		static Overridden early() {
			return new Overridden();
		}

		@Bean
		static PriorityPostProcessor postProcessor(Overridden early) {
			return new PriorityPostProcessor(early);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeanOfFactoryPostProcessor {

		@Bean
		static Overridden early() {
			return new Overridden();
		}

		@Bean
		static BeanFactoryPostProcessor postProcessor(Overridden early) {
			return (factory) -> early.method();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class ScheduledInACircle {

	}

	static class InACircle {

		@Autowired
		private InACircle self;

		@Scheduled(fixedDelay = 1000)
		@DistributedLock("'circle'")
		void method() {
		}

	}

	static class OtherInACircle {

		@Autowired
		private OtherInACircle self;

		@DistributedLock("'circle'")
		void method() {
		}

		OtherInACircle self() {
			return this.self;
		}

	}

	@Aspect
	static class AnAspect {

		@DistributedLock("'aspect'")
		void method() {
		}

	}

	record PriorityPostProcessor(Overridden early) implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	record OrderedPostProcessor(Overridden early) implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
