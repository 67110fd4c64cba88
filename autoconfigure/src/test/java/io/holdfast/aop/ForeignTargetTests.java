package io.holdfast.aop;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
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

	private static void assertLocked(BeanFactory context, String key, Runnable call) {
		LocalApplication.whileHeldElsewhere(context, key,
				() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(call::run)
					.withMessageContaining("'" + key + "'"));
		call.run();
	}

	private static <T> ApplicationContextRunner with(Class<T> type, Object bean) {
		return LocalApplication.with().withBean(type, () -> type.cast(bean));
	}

	static Stream<Named<ApplicationContextRunner>> proxiesForOrders() {
		return Stream
			.of(Named.of("with another target", with(Factory.class, new Factory(Orders.class, new SimpleRepository()))),
					Named.of("without a target", with(Orders.class, proxy(null, Orders.class))),
					Named.of("of the JDK", with(Orders.class,
							Proxy.newProxyInstance(Orders.class.getClassLoader(), new Class<?>[] { Orders.class },
									(proxy, method, args) -> method.getName().equals("count") ? 1 : null))),
					Named.of("of a scope", LocalApplication.with(Scoped.class)));
	}

	@ParameterizedTest
	@MethodSource("proxiesForOrders")
	void methodsAreFoundByTheInterface(ApplicationContextRunner application) {
		application.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertLocked(context, "orders", orders::count);
			assertLocked(context, "order:7", () -> orders.cancel("7"));
			assertLocked(context, "settled", orders::settle);
			assertThat(((Counting) orders).count()).isEqualTo(1);
		});
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

	static Stream<Named<ApplicationContextRunner>> mistakes() {
		Factory ofBadKey = new Factory(BadKey.class, new SimpleRepository());
		return Stream.of(Named.of("of the interface", with(Factory.class, ofBadKey).withBean(UserOfBadKey.class)),
				Named.of("of two interfaces",
						with(Orders.class, proxy(new SimpleRepository(), Orders.class, LockedCounting.class))),
				Named.of("of a method of the class", with(Plain.class, proxy(new OnMethod(), Plain.class))),
				Named.of("of the class", with(Plain.class, proxy(new OnType(), Plain.class))));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeOfAnInterfaceOrOfTheClassBehindTheProxyStopsTheStartup(ApplicationContextRunner application) {
		application.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidDistributedLockException.class)
			.hasMessageContaining(".count("));
	}

	@Test
	void classBehindTheProxyOverridesTheInterfaceThatItImplements() {
		with(Orders.class, proxy(new OwnOrders(), Orders.class))
			.run((context) -> assertLocked(context, "own", context.getBean(Orders.class)::count));
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

	record Factory(Class<?> type, Object target) implements FactoryBean<Object> {

		@Override
		public Object getObject() {
			return proxy(this.target, this.type);
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

	private static Object proxy(@Nullable Object target, Class<?>... interfaces) {
		ProxyFactory factory = new ProxyFactory();
		if (target != null) {
			factory.setTarget(target);
		}
		factory.setInterfaces(interfaces);
		factory.addAdvice((MethodInterceptor) (call) -> call.getMethod().getName().equals("count") ? 1 : null);
		return factory.getProxy();
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

	record UserOfBadKey(BadKey badKey) {
	}

	@DistributedLock(name = "counting")
	interface LockedCounting extends Counting {

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
