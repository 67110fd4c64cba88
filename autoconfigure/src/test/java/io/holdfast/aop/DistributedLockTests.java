package io.holdfast.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.DistributedLock;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The annotation, in an application with transactions and a cache.
 */
@Tag("slow")
class DistributedLockTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static ConfigurableApplicationContext context;

	private static Orders orders;

	private static LockRegistry registry;

	@BeforeAll
	static void startApplication() {
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"test.wait=200ms", "spring.main.banner-mode=off", "spring.datasource.generate-unique-name=true")
			.run();
		orders = context.getBean(Orders.class);
		registry = context.getBean(LockRegistry.class);
	}

	@AfterAll
	static void stopApplication() {
		context.close();
	}

	private static List<String> heldKeys() {
		return registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
	}

	// Keys

	@Test
	void locksTheKeyForTheTimeOfTheMethod() {
		assertThat(orders.byProperty(new Order(42L))).containsExactly("42");
		assertThat(heldKeys()).isEmpty();
	}

	@Test
	void expressionsSeeParametersRootAndBeans() {
		assertThat(orders.byPosition("a", "b")).containsExactly("a-b");
		assertThat(orders.byRoot("x")).containsExactly("byRoot-Orders-true-x");
		assertThat(orders.byBean("x")).containsExactly("tenant-x");
	}

	@Test
	void nameIsPutInFrontOfTheKey() {
		assertThat(orders.named("7")).containsExactly("orders:7");
		assertThat(orders.nameOnly()).containsExactly("nightly");
	}

	@Test
	void objectWithoutATextOfItsOwnIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anyObject(new Object()))
			.withMessageContaining("Orders.anyObject(Object)")
			.withMessageContaining("use one of its properties");
	}

	@Test
	void nullOrBlankKeyNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> orders.byProperty(new Order(null)))
			.withMessageContaining("Orders.byProperty(Order)")
			.withMessageContaining("#order.id")
			.withMessageContaining("null");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.named(" "))
			.withMessageContaining("Orders.named(String)")
			.withMessageContaining("#key")
			.withMessageContaining("blank");
	}

	@Test
	void expressionThatFailsNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> orders.byProperty(null))
			.withMessageContaining("Orders.byProperty(Order)")
			.withMessageContaining("#order.id");
	}

	// Attributes

	@Test
	void leaseIsTakenFromTheAnnotationOrItsPlaceholder() {
		assertThat(orders.lease().get(0).remainingLease()).isBetween(Duration.ofMinutes(1), Duration.ofSeconds(90));
		assertThat(orders.isoLease().get(0).remainingLease()).isBetween(Duration.ofMinutes(3), Duration.ofMinutes(4));
	}

	@Test
	void waitForIsTakenFromThePlaceholder() {
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		CompletableFuture<Void> holder = Threads.start(() -> {
			context.getBean(LockTemplate.class).executeWithoutResult("wait", (lock) -> {
				held.countDown();
				Threads.await(done);
			});
			return null;
		});
		Threads.await(held);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(orders::waits)
			.satisfies((ex) -> assertThat(ex.getWaited()).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20)));
		done.countDown();
		Threads.join(holder);
		assertThat(orders.waits()).containsExactly("wait");
	}

	@Test
	void leaseIsRenewedUnlessTheAnnotationSaysOtherwise() {
		Duration twoLeases = Duration.ofMillis(600);
		assertThat(orders.renewed(Duration.ofMillis(6500))).isEqualTo("done");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.notRenewed(twoLeases));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.maxHold(twoLeases.multipliedBy(2)));
	}

	@Test
	void conditionDecidesWhetherToLock() {
		assertThat(orders.onlyIf(true)).containsExactly("condition");
		assertThat(orders.onlyIf(false)).isEmpty();
	}

	@Test
	void conditionThatIsNoBooleanIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(orders::oddCondition)
			.withMessageContaining("condition")
			.withMessageContaining("evaluated to java.lang.String, not to true or false")
			.withMessageContaining("Orders.oddCondition()");
	}

	// Results

	@Test
	void exceptionOfTheMethodReachesTheCallerAsItIs() {
		assertThatExceptionOfType(IOException.class).isThrownBy(orders::fails)
			.withMessage("checked")
			.withNoCause()
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(heldKeys()).isEmpty();
	}

	@Test
	void lostLockEndsTheMethodWithAnException() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.loses(redis));
	}

	// Order

	@Test
	void lockIsHeldUntilTheTransactionHasCommitted() {
		AtomicReference<List<String>> heldAtCommit = new AtomicReference<>();
		orders.transactional(() -> {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					heldAtCommit.set(heldKeys());
				}
			});
		});
		assertThat(heldAtCommit.get()).containsExactly("tx");
		assertThat(heldKeys()).isEmpty();
	}

	@Test
	void cacheIsLookedUpUnderTheLock() {
		assertThat(orders.cached()).isEqualTo(1);
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		CompletableFuture<Void> holder = Threads.start(() -> {
			context.getBean(LockTemplate.class).executeWithoutResult("cached", (lock) -> {
				held.countDown();
				Threads.await(done);
			});
			return null;
		});
		Threads.await(held);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(orders::cached);
		done.countDown();
		Threads.join(holder);
		assertThat(orders.cached()).isEqualTo(1);
	}

	@Test
	void templateAndAnnotationShareTheLock() {
		LockTemplate template = context.getBean(LockTemplate.class);
		int count = template.execute("orders:7", (lock) -> {
			assertThat(orders.named("7")).containsExactly("orders:7");
			return lock.holdCount();
		});
		assertThat(count).isOne();
		assertThat(template.tryAcquire(LockRequest.of("7").name("orders"))).hasValueSatisfying((lock) -> {
			assertThat(lock.keys()).containsExactly("orders:7");
			lock.close();
		});
	}

	record Order(Long id) {

		public Long getId() {
			return this.id;
		}

	}

	static class Orders {

		private final LockRegistry registry;

		private final JdbcClient jdbc;

		private int calls;

		Orders(LockRegistry registry, JdbcClient jdbc) {
			this.registry = registry;
			this.jdbc = jdbc;
		}

		private List<String> held() {
			return this.registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
		}

		@DistributedLock(key = "#order.id")
		List<String> byProperty(Order order) {
			return held();
		}

		@DistributedLock("#p0 + '-' + #a1")
		List<String> byPosition(String first, String second) {
			return held();
		}

		@DistributedLock(key = "#root.method.name + '-' + #root.targetClass.simpleName + '-'"
				+ " + (#root.target != null) + '-' + #root.args[0]")
		List<String> byRoot(String argument) {
			return held();
		}

		@DistributedLock(key = "@tenants.current() + '-' + #key")
		List<String> byBean(String key) {
			return held();
		}

		@DistributedLock(name = "orders", key = "#key")
		List<String> named(String key) {
			return held();
		}

		@DistributedLock(name = "nightly")
		List<String> nameOnly() {
			return held();
		}

		@DistributedLock(key = "#value")
		void anyObject(Object value) {
		}

		@DistributedLock(key = "'lease'", lease = "90s")
		List<LockSnapshot> lease() {
			return List.copyOf(this.registry.held());
		}

		@DistributedLock(key = "'iso-lease'", lease = "PT4M")
		List<LockSnapshot> isoLease() {
			return List.copyOf(this.registry.held());
		}

		@DistributedLock(key = "'wait'", waitFor = "${test.wait}")
		List<String> waits() {
			return held();
		}

		@DistributedLock(key = "'renewed'", lease = "6s")
		String renewed(Duration time) {
			return work(time);
		}

		@DistributedLock(key = "'not-renewed'", lease = "300ms", autoRenew = false)
		String notRenewed(Duration time) {
			return work(time);
		}

		@DistributedLock(key = "'max-hold'", lease = "300ms", maxHold = "200ms")
		String maxHold(Duration time) {
			return work(time);
		}

		private static String work(Duration time) {
			long end = System.nanoTime() + time.toNanos();
			while (System.nanoTime() - end < 0) {
				Thread.onSpinWait();
			}
			return "done";
		}

		@DistributedLock(key = "'condition'", condition = "#locked")
		List<String> onlyIf(boolean locked) {
			return held();
		}

		@DistributedLock(key = "'odd'", condition = "'maybe'")
		void oddCondition() {
		}

		@DistributedLock(key = "'fails'")
		void fails() throws IOException {
			throw new IOException("checked");
		}

		@DistributedLock(key = "'loses'")
		void loses(RedisProcess server) {
			try (Jedis jedis = server.connect()) {
				jedis.del("holdfast:{loses}");
			}
		}

		@Transactional
		@DistributedLock(key = "'tx'")
		void transactional(Runnable action) {
			this.jdbc.sql("select 1").query(Integer.class).single();
			action.run();
		}

		@Cacheable("calls")
		@DistributedLock(key = "'cached'", waitFor = "0")
		int cached() {
			return ++this.calls;
		}

	}

	static class Tenants {

		public String current() {
			return "tenant";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	@Import(Orders.class)
	static class Application {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		Tenants tenants() {
			return new Tenants();
		}

	}

}
