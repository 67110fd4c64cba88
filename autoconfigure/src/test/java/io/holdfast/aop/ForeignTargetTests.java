package io.holdfast.aop;

import java.lang.reflect.Proxy;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.core.KeyValueTemplate;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.keyvalue.repository.query.KeyValuePartTreeQuery;
import org.springframework.data.keyvalue.repository.query.PredicateQueryCreator;
import org.springframework.data.keyvalue.repository.support.KeyValueRepositoryFactoryBean;
import org.springframework.data.map.MapKeyValueAdapter;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.NoRepositoryBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that are proxies for an interface, where what is behind the proxy is of another
 * class, if there is anything.
 */
class ForeignTargetTests {

	private static void assertLocked(AnnotationConfigApplicationContext context, String key, Runnable call) {
		LocalApplication.whileHeldElsewhere(context, key,
				() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(call::run)
					.withMessageContaining("'" + key + "'"));
		call.run();
	}

	@ParameterizedTest
	@ValueSource(classes = { WithAnotherTarget.class, WithoutTarget.class, PlainProxy.class, Scoped.class })
	void methodsAreFoundByTheInterface(Class<?> configuration) {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(configuration)) {
			Orders orders = context.getBean(Orders.class);
			assertLocked(context, "orders", orders::count);
			assertLocked(context, "order:7", () -> orders.cancel("7"));
			assertLocked(context, "settled", orders::settle);
			assertThat(((Counting) orders).count()).isEqualTo(1);
		}
	}

	@Test
	void repositoryOfSpringDataIsLocked() {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(Repositories.class)) {
			Parcels parcels = context.getBean(Parcels.class);
			Parcel parcel = new Parcel("p", "city");
			assertLocked(context, "parcel:p", () -> parcels.save(parcel));
			CrudRepository<Parcel, String> asCrud = parcels;
			assertLocked(context, "parcel:p", () -> asCrud.save(parcel));
			assertLocked(context, "archive", () -> parcels.findByCity("city"));
			assertLocked(context, "Parcels", parcels::deleteAll);
			assertThat(parcels.findByCity("city")).isEmpty();
			parcels.save(parcel);
			assertThat(parcels.findByCity("city")).hasSize(1);
		}
	}

	@Test
	void fallbackIsAMethodOfTheInterface() {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(Repositories.class)) {
			Parcels parcels = context.getBean(Parcels.class);
			parcels.save(new Parcel("p", "city"));
			assertThat(parcels.quickCount("city")).isOne();
			LocalApplication.whileHeldElsewhere(context, "quick",
					() -> assertThat(parcels.quickCount("city")).isEqualTo(-1));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { BadKeyConfiguration.class, TwoInterfaces.class, MethodBehindProxy.class,
			TypeBehindProxy.class })
	void mistakeOfAnInterfaceOrOfTheClassBehindTheProxyStopsTheStartup(Class<?> configuration) {
		LocalApplication.with(configuration)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidDistributedLockException.class)
				.hasMessageContaining(".count("));
	}

	@Test
	void classBehindTheProxyOverridesTheInterfaceThatItImplements() {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(ImplementedBehindProxy.class)) {
			assertLocked(context, "own", context.getBean(Orders.class)::count);
		}
	}

	interface Counting {

		int count();

	}

	interface Settling {

		@DistributedLock("'settled'")
		void settle();

	}

	@DistributedLock(name = "orders")
	interface Orders extends Counting, Settling {

		@DistributedLock(name = "order", key = "#id")
		void cancel(String id);

	}

	static class SimpleRepository {

		public int count() {
			return 1;
		}

		public void settle() {
		}

	}

	record Factory(Class<?> type, Object product) implements FactoryBean<Object> {

		@Override
		public Object getObject() {
			return this.product;
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

	static Factory factory(Object target, Class<?>... interfaces) {
		return new Factory(interfaces[0], proxy(target, interfaces));
	}

	static Object proxy(Object target, Class<?>... interfaces) {
		ProxyFactory factory = new ProxyFactory();
		if (target != null) {
			factory.setTarget(target);
		}
		factory.setInterfaces(interfaces);

		factory.addAdvice((MethodInterceptor) (call) -> call.getMethod().getName().equals("count") ? 1 : null);
		return factory.getProxy();
	}

	@Configuration(proxyBeanMethods = false)
	static class WithAnotherTarget {

		@Bean
		static Factory orders() {
			return factory(new SimpleRepository(), Orders.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithoutTarget {

		@Bean
		Orders orders() {
			return (Orders) proxy(null, Orders.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainProxy {

		@Bean
		Orders orders() {
			return (Orders) Proxy.newProxyInstance(Orders.class.getClassLoader(), new Class<?>[] { Orders.class },
					(proxy, method, args) -> method.getName().equals("count") ? 1 : null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		Orders orders() {
			return (Orders) proxy(new SimpleRepository(), Orders.class);
		}

	}

	interface BadKey {

		@DistributedLock("#kee")
		int count(String key);

	}

	@Configuration(proxyBeanMethods = false)
	static class BadKeyConfiguration {

		@Bean
		static Factory badKey() {
			return factory(new SimpleRepository(), BadKey.class);
		}

		@Bean
		Object user(BadKey badKey) {
			return new Object();
		}

	}

	@DistributedLock(name = "counting")
	interface LockedCounting extends Counting {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoInterfaces {

		@Bean
		Orders orders() {
			return (Orders) proxy(new SimpleRepository(), Orders.class, LockedCounting.class);
		}

	}

	interface Plain {

		int count();

	}

	static class OnMethod implements Plain {

		@Override
		@DistributedLock("'k'")
		public int count() {
			return 1;
		}

	}

	@DistributedLock(name = "k")
	static class OnType implements Plain {

		@Override
		public int count() {
			return 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MethodBehindProxy {

		@Bean
		Plain plain() {
			return (Plain) proxy(new OnMethod(), Plain.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TypeBehindProxy {

		@Bean
		Plain plain() {
			return (Plain) proxy(new OnType(), Plain.class);
		}

	}

	static class OwnOrders implements Orders {

		@Override
		@DistributedLock("'own'")
		public int count() {
			return 1;
		}

		@Override
		public void settle() {
		}

		@Override
		public void cancel(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ImplementedBehindProxy {

		@Bean
		Orders orders() {
			return (Orders) proxy(new OwnOrders(), Orders.class);
		}

	}

	record Parcel(@Id String id, String city) {
	}

	@NoRepositoryBean
	interface Archive<T> extends KeyValueRepository<T, String> {

		@DistributedLock("'archive'")
		List<T> findByCity(String city);

	}

	@DistributedLock("#root.targetClass.simpleName")
	interface Parcels extends Archive<Parcel> {

		@Override
		@DistributedLock(name = "parcel", key = "#parcel.id")
		<S extends Parcel> S save(S parcel);

		@DistributedLock(key = "'quick'", fallback = "none")
		default int quickCount(String city) {
			return findByCity(city).size();
		}

		private int none(String city) {
			return -1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Repositories {

		@Bean
		static KeyValueRepositoryFactoryBean<Parcels, Parcel, String> parcels() {
			KeyValueRepositoryFactoryBean<Parcels, Parcel, String> factory = new KeyValueRepositoryFactoryBean<>(
					Parcels.class);
			factory.setKeyValueOperations(new KeyValueTemplate(new MapKeyValueAdapter()));
			factory.setQueryCreator(PredicateQueryCreator.class);
			factory.setQueryType(KeyValuePartTreeQuery.class);
			return factory;
		}

	}

}
