package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastRedis;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.aop.InvalidDistributedLockException;
import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Applications that are processed ahead of time, started from the code that was
 * generated.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class AheadOfTimeTests {

	private static final List<String> LOCAL = List.of("holdfast.store=local");

	@Test
	@CompileWithForkedClassLoader
	void lockAnnotatedMethodsInTheStoreOfTheBuildWithTheDurationsOfWhereTheyRun() {
		new ProcessedApplication(LOCAL, Shop.class, PatientShop.class).compile((processed) -> {
			processed.run(List.of("holdfast.store=redis", "holdfast.lease=2m", "shop.lease=4m"), (application) -> {
				assertThat(application.getBean(LockStore.class)).isInstanceOf(LocalLockStore.class);
				LockSnapshot lock = lockDuringSale(application, Shop.class);
				assertThat(lock.keys()).containsExactly("7");
				assertThat(lock.remainingLease()).isBetween(Duration.ofSeconds(90), Duration.ofMinutes(2));
				assertThat(lockDuringSale(application, PatientShop.class).remainingLease())
					.isBetween(Duration.ofSeconds(210), Duration.ofMinutes(4));
				assertThat(application.getBean(LockRegistry.class).held()).isEmpty();
			});
			assertThatException().as("durations that cannot work")
				.isThrownBy(() -> processed.run(List.of("shop.lease=1s"), (application) -> fail("It has started")))
				.withStackTraceContaining("The attribute 'minHold'");
		});
	}

	@Test
	@CompileWithForkedClassLoader
	void findTheRedisOfLocksByItsAnnotation() {
		try (RedisProcess redis = new RedisProcess()) {
			redis.start();
			new ProcessedApplication(List.of(), RedisOfLocks.class)
				.compile((processed) -> processed.run(List.of("redis.port=" + redis.port()),
						(application) -> assertThat(
								application.getBean(LockTemplate.class).tryExecute("k", LockHandle::isHeld))
							.contains(true)));
		}
	}

	@Test
	void areRefusedInTheBuildForWhatNoPropertyCanMend() {
		assertThatExceptionOfType(InvalidDistributedLockException.class)
			.isThrownBy(() -> new ProcessedApplication(LOCAL, WrongShop.class))
			.withMessageContaining("'fallback'");
	}

	@Test
	void bindPropertiesInNativeImages() {
		RuntimeHints hints = new ProcessedApplication(LOCAL).hints();
		assertThat(List.of(HoldfastProperties.class, HoldfastProperties.Redis.class, HoldfastProperties.Aspect.class))
			.allMatch((type) -> RuntimeHintsPredicates.reflection()
				.onConstructorInvocation(type.getDeclaredConstructors()[0])
				.test(hints));
	}

	private static LockSnapshot lockDuringSale(GenericApplicationContext application, Class<?> shop) {
		List<LockSnapshot> held = application.getBean("aheadOfTimeTests." + shop.getSimpleName(), Seller.class)
			.sell(new Order(new Customer(7)), application.getBean(LockRegistry.class));
		assertThat(held).hasSize(1);
		return held.get(0);
	}

	/**
	 * Sells, and tells which locks are held meanwhile.
	 */
	public interface Seller {

		List<LockSnapshot> sell(Order order, LockRegistry locks);

		default void tidyUp() {
		}

	}

	static class Shop implements Seller {

		@Override
		@DistributedLock("#order.customer.id")
		public List<LockSnapshot> sell(Order order, LockRegistry locks) {
			return List.copyOf(locks.held());
		}

	}

	static class PatientShop implements Seller {

		@Override
		@DistributedLock(key = "#p0.customer.id", lease = "${shop.lease}")
		public List<LockSnapshot> sell(Order order, LockRegistry locks) {
			return List.copyOf(locks.held());
		}

		@Override
		@DistributedLock(key = "'k'", lease = "${shop.lease}", minHold = "31s", autoRenew = false)
		public void tidyUp() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RedisOfLocks {

		@Bean(autowireCandidate = false)
		@HoldfastRedis
		Object redisOfLocks(@Value("${redis.port}") int port) {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
		}

	}

	static class WrongShop {

		@DistributedLock(key = "'k'", fallback = "missing")
		void sell() {
		}

	}

	record Order(Customer customer) {

	}

	record Customer(long id) {

	}

}
