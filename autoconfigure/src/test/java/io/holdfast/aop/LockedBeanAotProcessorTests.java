package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * What a native image keeps for beans with annotated methods.
 */
class LockedBeanAotProcessorTests {

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	private final GenerationContext generation = new TestGenerationContext();

	private final RuntimeHints hints = this.generation.getRuntimeHints();

	@Test
	void isFoundByTheProcessingAndHasNothingToAddForOtherBeans() {
		assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
			.hasAtLeastOneElementOfType(LockedBeanAotProcessor.class);
		assertThat(contribution(Tenants.class)).isNull();
	}

	@Test
	void onlyLockedMethodsAndWhatExpressionsName() {
		process(Plain.class);
		assertCalls(Plain.class, "run");
		assertCalls(Order.class, "customer");
		assertCalls(Customer.class, "getId");
		assertCalls(Customer.class, "isKnown");
		assertDoesNotCall(Plain.class, "other");
		assertDoesNotCall(Order.class, "items");
		assertDoesNotCall(Customer.class, "getName");
	}

	@Test
	void elementsOfCollectionsArraysAndMaps() {
		process(Elements.class);
		assertCalls(Order.class, "items");
		assertCalls(Item.class, "sku");
		assertThat(this.hints).matches(RuntimeHintsPredicates.reflection().onFieldAccess(Item.class, "region"));
	}

	@Test
	void beansTypesAndTheTargetThatExpressionsName() {
		this.beanFactory.registerBeanDefinition("tenants", new RootBeanDefinition(Tenants.class));
		process(Named.class);
		assertCalls(Tenants.class, "current");
		assertCalls(Keys.class, "of");
		assertCalls(Math.class, "abs");
		assertCalls(Named.class, "getRegion");
	}

	@Test
	void membersOfLongExpressionsInAnyAlphabet() {
		process(Wordy.class);
		assertCalls(Size.class, "länge");
		assertCalls(String.class, "strip");
	}

	@Test
	void fallbacksOfTheClassAndItsSuperclasses() {
		process(Fallbacks.class);
		assertThat(calls(method(Fallbacks.class, "other", Order.class, LockNotAcquiredException.class))).isTrue();
		assertThat(calls(method(SuperFallbacks.class, "other", Order.class))).isTrue();
	}

	@Test
	void composedAnnotations() {
		process(Composed.class);
		assertCalls(LockedOrder.class, "waiting");
		assertCalls(Customer.class, "getId");
	}

	@ParameterizedTest
	@ValueSource(classes = { Impl.class, ServiceFactory.class })
	void interfacesThroughWhichProxiesCall(Class<?> bean) {
		process(bean);
		assertCalls(Service.class, "run");
		assertCalls(Customer.class, "getId");
	}

	private @Nullable BeanRegistrationAotContribution contribution(Class<?> type) {
		this.beanFactory.registerBeanDefinition("bean", new RootBeanDefinition(type));
		return new LockedBeanAotProcessor().processAheadOfTime(RegisteredBean.of(this.beanFactory, "bean"));
	}

	private void process(Class<?> type) {
		BeanRegistrationAotContribution contribution = contribution(type);
		assertThat(contribution).isNotNull();
		contribution.applyTo(this.generation, mock(BeanRegistrationCode.class));
	}

	private void assertCalls(Class<?> type, String method) {
		assertThat(calls(only(type, method))).as("calls " + method).isTrue();
	}

	private void assertDoesNotCall(Class<?> type, String method) {
		assertThat(calls(only(type, method))).as("calls " + method).isFalse();
	}

	private boolean calls(Method method) {
		return RuntimeHintsPredicates.reflection().onMethodInvocation(method).test(this.hints);
	}

	private static Method only(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static Method method(Class<?> type, String name, Class<?>... parameters) {
		Method method = ReflectionUtils.findMethod(type, name, parameters);
		assertThat(method).isNotNull();
		return method;
	}

	static class Plain {

		@DistributedLock(key = "#order.customer.id", condition = "!#p0.customer.known")
		void run(Order order) {
		}

		void other() {
		}

	}

	static class Elements {

		@DistributedLock("#orders['today'][0].![items.?[sku != null][0].region]")
		void run(Map<String, List<Order>[]> orders) {
		}

	}

	static class Named {

		@DistributedLock("@tenants.current() + @missing.current() + #root.target.region"
				+ " + T(io.holdfast.aop.LockedBeanAotProcessorTests$Keys).of(T(Math).abs(#id))")
		public void run(long id) {
		}

		public String getRegion() {
			return "north";
		}

	}

	static class Wordy {

		@DistributedLock("#größe.länge.trim().toLowerCase().replace('a', 'b').substring(0, 3).concat(':')"
				+ " + #größe.länge.trim().toUpperCase().strip().replace('c', 'd').substring(1).concat('.')")
		void run(Size größe) {
		}

	}

	record Size(String länge) {

	}

	static class SuperFallbacks {

		private String other(Order order) {
			return order.toString();
		}

	}

	static class Fallbacks extends SuperFallbacks {

		@DistributedLock(key = "'k'", fallback = "other")
		String run(Order order) {
			return order.toString();
		}

		private String other(Order order, LockNotAcquiredException failure) {
			return order.toString() + failure;
		}

	}

	static class Composed {

		@LockedOrder(waiting = "1s")
		void run(Customer order) {
		}

	}

	interface Service {

		@DistributedLock("#p0.id")
		void run(Customer customer);

	}

	static class Impl implements Service {

		@Override
		public void run(Customer customer) {
		}

	}

	static class ServiceFactory implements FactoryBean<Service> {

		@Override
		public Service getObject() {
			throw new AssertionError("Nothing is created");
		}

		@Override
		public Class<?> getObjectType() {
			return Service.class;
		}

	}

	static class Tenants {

		public String current() {
			return "tenant";
		}

	}

	static class Keys {

		public static String of(long id) {
			return "k" + id;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("#order.id")
	@interface LockedOrder {

		@AliasFor(annotation = DistributedLock.class, attribute = "waitFor")
		String waiting() default "";

	}

	record Order(Customer customer, List<Item> items) {

	}

	static class Customer {

		public long getId() {
			return 7;
		}

		public String getName() {
			return "Ada";
		}

		public boolean isKnown() {
			return true;
		}

	}

	static class Item {

		public final String region = "north";

		public String sku() {
			return "lamp";
		}

	}

}
