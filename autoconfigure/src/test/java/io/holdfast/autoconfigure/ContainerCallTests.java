package io.holdfast.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.aop.LocalApplication;
import io.holdfast.test.Running;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated methods that the container calls: locked, or refused before the first call.
 */
class ContainerCallTests {

	private static final AtomicInteger calls = new AtomicInteger();

	private static void assertRefused(ApplicationContextRunner application, String problem, String... action) {
		calls.set(0);
		FailureAnalysis analysis = FailureAnalyses.of(application);
		assertThat(analysis.getDescription()).startsWith("@DistributedLock on ").contains(problem);
		assertThat(analysis.getAction()).contains(action);
		assertThat(calls).hasValue(0);
	}

	static Stream<ApplicationContextRunner> callsOnTheObjectItself() {
		Stream<ApplicationContextRunner> byItsClass = Stream
			.of(PostConstructed.class, Initializing.class, Injected.class, Knowing.class, PreDestroyed.class,
					Disposable.class, Closeable.class, Stopping.class)
			.map(LocalApplication::with);
		return Stream.concat(byItsClass,
				Stream.of(with(Work.class, (definition) -> definition.setInitMethodName("init")),
						with(Work.class, (definition) -> definition.setDestroyMethodName("init")),
						with(Closing.class, ContainerCallTests::inferDestroyMethod),
						with(ShuttingDown.class, ContainerCallTests::inferDestroyMethod)));
	}

	private static <T> ApplicationContextRunner with(Class<T> type, Consumer<AbstractBeanDefinition> definition) {
		return LocalApplication.with()
			.withBean(type, () -> BeanUtils.instantiateClass(type),
					(customized) -> definition.accept((AbstractBeanDefinition) customized));
	}

	// As a @Bean method does
	private static void inferDestroyMethod(AbstractBeanDefinition definition) {
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
	}

	@ParameterizedTest
	@MethodSource("callsOnTheObjectItself")
	void whatIsCalledOnTheObjectItselfIsRefused(ApplicationContextRunner application) {
		assertRefused(application, "would have no effect", "ApplicationRunner", "stop(Runnable)");
	}

	@ParameterizedTest
	@ValueSource(classes = { BeanMethod.class, Product.class })
	void creationOfABeanIsRefused(Class<?> bean) {
		assertRefused(LocalApplication.with(bean), "creation of a bean", "a class of its own");
	}

	static Stream<ApplicationContextRunner> notCalled() {
		return Stream.of(with(Closing.class, (definition) -> {
			inferDestroyMethod(definition);
			definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
		}), with(DisposableCloseable.class, ContainerCallTests::inferDestroyMethod),
				LocalApplication.with(DisposableCloseable.class));
	}

	@ParameterizedTest
	@MethodSource("notCalled")
	void closeThatTheContainerDoesNotCallIsLocked(ApplicationContextRunner application) {
		calls.set(0);
		application.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Closing.class))).isTrue());
		assertThat(calls).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(classes = { AnnotatedType.class, AnnotatedConfiguration.class })
	void annotationOnTheClassLeavesSuchMethodsOut(Class<?> bean) {
		LocalApplication.with(bean).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void annotationOnTheClassDoesNotKeepABeanFromStopping() {
		AnnotatedLifecycle.called.clear();
		LocalApplication.with(AnnotatedLifecycle.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(AnnotatedLifecycle.called).containsExactly("start locked", "stop");
	}

	@Test
	void whatTheContainerCallsThroughTheProxyIsLocked() {
		SpringApplication application = new SpringApplication(AopAutoConfiguration.class,
				HoldfastAutoConfiguration.class, Locked.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.run("--holdfast.store=local", "--spring.main.banner-mode=off").close();
		assertThat(Locked.called).containsExactly("afterSingletonsInstantiated", "start", "run", "ready", "stop");
	}

	@Test
	void whatTheContainerCallsAfterLocksHaveStoppedDoesNotRun() {
		calls.set(0);
		LocalApplication.with(StoppingLate.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(calls).hasValue(0);
	}

	private static void call() {
		calls.incrementAndGet();
	}

	static class PostConstructed {

		@PostConstruct
		@DistributedLock("'k'")
		void init() {
			call();
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock("'k'")
		public void afterPropertiesSet() {
			call();
		}

	}

	static class Injected {

		@Autowired
		@DistributedLock("'k'")
		void use(BeanFactory beanFactory) {
			call();
		}

	}

	static class Knowing implements BeanFactoryAware {

		@Override
		@DistributedLock("'k'")
		public void setBeanFactory(BeanFactory beanFactory) {
			call();
		}

	}

	static class Work {

		@DistributedLock("'k'")
		public void init() {
			call();
		}

	}

	static class PreDestroyed {

		@PreDestroy
		@DistributedLock("'k'")
		void end() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock("'k'")
		public void destroy() {
		}

	}

	static class Closing {

		@DistributedLock("'k'")
		public void close() {
			call();
		}

	}

	static class DisposableCloseable extends Closing implements DisposableBean, AutoCloseable {

		@Override
		public void destroy() {
		}

	}

	static class ShuttingDown {

		@DistributedLock("'k'")
		public void shutdown() {
		}

	}

	static class Closeable implements AutoCloseable {

		@Override
		@DistributedLock("'k'")
		public void close() {
		}

	}

	static class Stopping extends Running {

		@Override
		@DistributedLock("'k'")
		public void stop() {
			super.stop();
		}

	}

	static class StoppingLate extends Running {

		@Override
		@DistributedLock("'k'")
		public void stop(Runnable callback) {
			call();
			super.stop(callback);
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

	static class BeanMethod {

		@Bean
		@DistributedLock("'k'")
		Supplier<String> supplier() {
			call();
			return () -> "text";
		}

	}

	static class Product implements FactoryBean<String> {

		@Override
		@DistributedLock("'k'")
		public String getObject() {
			return "text";
		}

		@Override
		public Class<?> getObjectType() {
			return String.class;
		}

	}

	@DistributedLock(name = "k")
	static class AnnotatedType implements InitializingBean, DisposableBean {

		@PostConstruct
		public void init() {
		}

		@Override
		public void afterPropertiesSet() {
		}

		@Override
		public void destroy() {
		}

	}

	/**
	 * Stops when locks have been released.
	 */
	@DistributedLock(name = "k")
	static class AnnotatedLifecycle extends Running {

		private static final List<String> called = new ArrayList<>();

		@Override
		public void start() {
			super.start();
			called.add(isLocked() ? "start locked" : "start");
		}

		@Override
		public void stop() {
			super.stop();
			called.add(isLocked() ? "stop locked" : "stop");
		}

		@Override
		public boolean isRunning() {
			assertThat(isLocked()).isFalse();
			return super.isRunning();
		}

		@Override
		public boolean isAutoStartup() {
			assertThat(isLocked()).isFalse();
			return true;
		}

		@Override
		public int getPhase() {
			assertThat(isLocked()).isFalse();
			return 0;
		}

	}

	@DistributedLock(name = "k")
	@Configuration(proxyBeanMethods = false)
	static class AnnotatedConfiguration {

		@Bean
		public Object created() {
			assertThat(isLocked()).isFalse();
			return new Object();
		}

	}

	static boolean isLocked() {
		try {
			LockAssert.assertHeld("k");
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	static class Locked extends Running implements ApplicationRunner, SmartInitializingSingleton {

		private static final List<String> called = new ArrayList<>();

		@Override
		@DistributedLock("'k'")
		public void afterSingletonsInstantiated() {
			note("afterSingletonsInstantiated");
		}

		@Override
		@DistributedLock("'k'")
		public void start() {
			super.start();
			note("start");
		}

		@Override
		@DistributedLock("'k'")
		public void run(ApplicationArguments args) {
			note("run");
		}

		@EventListener(ApplicationReadyEvent.class)
		@DistributedLock("'k'")
		void ready() {
			note("ready");
		}

		@Override
		@DistributedLock("'k'")
		public void stop(Runnable callback) {
			note("stop");
			super.stop(callback);
		}

		private static void note(String what) {
			LockAssert.assertHeld("k");
			called.add(what);
		}

	}

}
