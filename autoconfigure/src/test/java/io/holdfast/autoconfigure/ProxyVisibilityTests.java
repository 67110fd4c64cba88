package io.holdfast.autoconfigure;

import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.aop.InvalidDistributedLockException;
import io.holdfast.aop.LocalApplication;
import io.holdfast.aop.LockedMethods;
import io.holdfast.autoconfigure.other.PackagePrivate;
import org.aopalliance.aop.Advice;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.ApplicationObjectSupport;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Annotations that a proxy cannot see are refused at startup, others are not.
 */
class ProxyVisibilityTests {

	static final String BY_INTERFACES = "spring.aop.proxy-target-class=false";

	static Stream<Arguments> refused() {
		return Stream.of(Arguments.of(PrivateMethod.class, "is private"), Arguments.of(StaticMethod.class, "is static"),
				Arguments.of(FinalMethod.class, "is final"), Arguments.of(FinalBelowClass.class, "is final"),
				Arguments.of(FinalImplementation.class, "is final"),
				Arguments.of(FinalAnnotatedClass.class, "cannot be extended"),
				Arguments.of(FromAnotherPackage.class, "package-private"),
				Arguments.of(AnAspect.class, "AnAspect', which has no proxy"),
				Arguments.of(AnAdvice.class, "AnAdvice', which has no proxy"));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Class<?> bean, String problem) {
		assertThat(FailureAnalyses.ofStartWith(bean).getDescription()).contains("would have no effect", problem);
	}

	/**
	 * Created for a post-processor, before there are proxies, or for the advisor.
	 */
	static Stream<ApplicationContextRunner> early() {
		ApplicationContextRunner application = LocalApplication.with(OrderedPostProcessor.class);
		return Stream.of(LocalApplication.with(RegistryPostProcessor.class).withBean("early", Overridden.class),
				LocalApplication.with(FactoryPostProcessor.class).withBean("early", Overridden.class),
				LocalApplication.with(OwnAdvisor.class).withBean("early", Overridden.class),
				application.withBean("early", Overridden.class),
				application.withBean("early", Overridden.class, Overridden::new,
						(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE)),
				application.withBean("early", Product.class));
	}

	@ParameterizedTest
	@MethodSource("early")
	void beanThatIsThereTooEarlyIsRefused(ApplicationContextRunner application) {
		assertThat(FailureAnalyses.of(application).getDescription()).contains("would have no effect", "'early'");
	}

	static Stream<ApplicationContextRunner> replaced() {
		BeanFactoryPostProcessor replacing = (beans) -> beans.registerSingleton("bean", new Overridden());
		ApplicationContextRunner application = LocalApplication.with().withBean("bean", Overridden.class);
		return Stream.of(application.withBean(BeanFactoryPostProcessor.class, () -> replacing),
				LocalApplication.with()
					.withBean("bean", Product.class)
					.withBean(BeanFactoryPostProcessor.class, () -> replacing),
				application.withBean(ReplacingPostProcessor.class),
				application.withBean("double", Overridden.class, () -> mock(Overridden.class),
						(definition) -> definition.setPrimary(true)),
				application.withAllowBeanDefinitionOverriding(true)
					.withBean("bean", Overridden.class, () -> mock(Overridden.class)));
	}

	@ParameterizedTest
	@MethodSource("replaced")
	void whatIsPutInThePlaceOfABeanIsAccepted(ApplicationContextRunner application) {
		application.run((context) -> assertThat(context).hasNotFailed());
	}

	static Stream<Arguments> refusedByInterfaces() {
		return Stream.of(Arguments.of(PrivateMethod.class, "is private"),
				Arguments.of(FinalClassAlone.class, "cannot be extended"),
				Arguments.of(BesidesTheInterface.class, "in none of the interfaces"));
	}

	@ParameterizedTest
	@MethodSource("refusedByInterfaces")
	void isRefusedWhereProxiesAreForInterfaces(Class<?> bean, String problem) {
		assertThat(FailureAnalyses.ofStartWith(bean, BY_INTERFACES).getDescription()).contains("would have no effect",
				problem);
	}

	private static void assertAccepted(Class<?> type, String... properties) {
		LocalApplication.with(type).withPropertyValues(properties).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { NotMeant.class, FrameworkClass.class, GenericImplementation.class, Lambda.class,
			PackagePrivateMethod.class })
	void everythingElseIsAccepted(Class<?> type) {
		assertAccepted(type);
		assertAccepted(type, BY_INTERFACES);
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalImplementation.class, FinalAnnotatedClass.class, AnnotatedBesidesTheInterface.class })
	void isAcceptedWhereProxiesAreForInterfaces(Class<?> bean) {
		assertAccepted(bean, BY_INTERFACES);
	}

	@ParameterizedTest
	@ValueSource(classes = { BesidesTheInterface.class, PackagePrivate.class })
	void isAcceptedWhereTheProxySeesIt(Class<?> bean) {
		assertAccepted(bean);
	}

	@Test
	void isAcceptedWhereAnotherCreatorOfProxiesComesFirst() {
		LocalApplication.with(Overridden.class)
			.withInitializer((context) -> context.getBeanFactory().addBeanPostProcessor(new BeanNameAutoProxyCreator()))
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Overridden.class))).isTrue());
	}

	@Test
	void scheduledMethodOfABeanInACircularReferenceIsRefused() {
		FailureAnalysis analysis = FailureAnalyses.of(LocalApplication.with(ScheduledInACircle.class)
			.withBean("inACircle", InACircle.class)
			.withAllowCircularReferences(true));
		assertThat(analysis.getDescription()).contains("InACircle.method()", "circular reference");
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
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(parent);
				child.registerBean("ofChild", Overridden.class);
				child.addBeanFactoryPostProcessor((beans) -> beans.registerSingleton("ofChild", new Overridden()));
				child.refresh();
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

	static class PrivateMethod {

		@DistributedLock(key = "#key")
		private void method(String key) {
		}

		void caller() {
			method("k");
		}

	}

	static class StaticMethod {

		@DistributedLock(key = "'k'")
		static void method() {
		}

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

	@DistributedLock(key = "'k'")
	static final class FinalAnnotatedClass implements Callable {

		@Override
		public void call() {
		}

	}

	static final class FinalClassAlone {

		@DistributedLock(key = "'k'")
		void method() {
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

	static class FromAnotherPackage extends PackagePrivate {

	}

	static class Product implements FactoryBean<Overridden> {

		@Override
		public Overridden getObject() {
			return new Overridden();
		}

		@Override
		public Class<?> getObjectType() {
			return Overridden.class;
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

	static class AnAdvice implements Advice {

		@DistributedLock("'advice'")
		void method() {
		}

	}

	record OrderedPostProcessor(Overridden early) implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryPostProcessor {

		@Bean
		static BeanFactoryPostProcessor processor(Overridden early) {
			return (beanFactory) -> assertThat(early).isNotNull();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnAdvisor {

		@Bean
		static DistributedLockAdvisor advisor(LockedMethods methods, Overridden early) {
			return new DistributedLockAdvisor(methods, early.hashCode());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RegistryPostProcessor {

		@Bean
		static OrderedRegistryPostProcessor processor(Overridden early) {
			return new OrderedRegistryPostProcessor(early);
		}

	}

	record OrderedRegistryPostProcessor(Overridden early) implements BeanDefinitionRegistryPostProcessor, Ordered {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			assertThat(this.early).isNotNull();
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class ReplacingPostProcessor implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Overridden) ? new Overridden() : bean;
		}

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

	static class PackagePrivateMethod {

		@DistributedLock(key = "'k'")
		void packagePrivate() {
		}

		@DistributedLock(key = "'k'")
		protected void isProtected() {
		}

	}

}
