package io.holdfast.docs;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks and {@code @Cacheable}.
 */
@Tag("any-jdk")
class CacheOrderTests {

	private final ApplicationContextRunner contextRunner = OneApplication.with(Prices.class, Caches.class);

	@Test
	void eachHitTakesTheLock() {
		this.contextRunner.withUserConfiguration(CachingAsUsual.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.price("tea")).isEqualTo(prices.price("tea"));
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("price:tea", "price:tea");
		});
	}

	@Test
	void hitTakesNoLockWithTheCacheOutside() {
		this.contextRunner.withUserConfiguration(CachingOutside.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(prices.price("tea")).isEqualTo(prices.price("tea"));
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("price:tea");
		});
	}

	@Test
	void callerThatWaitedFindsTheValueOfTheHolder() {
		this.contextRunner.withUserConfiguration(CachingAsUsual.class)
			.run((context) -> assertThat(callsForTwoAtOnce(context)).isOne());
	}

	@Test
	void callerThatWaitedComputesTheValueAgainWithTheCacheOutside() {
		this.contextRunner.withUserConfiguration(CachingOutside.class)
			.run((context) -> assertThat(callsForTwoAtOnce(context)).isEqualTo(2));
	}

	@Test
	void cachesOnBothSidesOfTheLockComputeAndLockOnce() {
		this.contextRunner.withUserConfiguration(CachingAsUsual.class, Catalogue.class).run((context) -> {
			Catalogue catalogue = context.getBean(Catalogue.class);
			assertThat(callsForTwoAtOnce(context, () -> catalogue.price("tea"))).isOne();
			Locking locking = context.getBean(Locking.class);
			int before = locking.acquired().size();
			catalogue.price("tea");
			assertThat(locking.acquired()).hasSize(before);
		});
	}

	private static int callsForTwoAtOnce(ApplicationContext context) {
		return callsForTwoAtOnce(context, () -> context.getBean(Prices.class).price("tea"));
	}

	private static int callsForTwoAtOnce(ApplicationContext context, Callable<Integer> call) {
		Prices prices = context.getBean(Prices.class);
		prices.close();
		var one = Threads.start(call);
		await().until(() -> prices.calls() == 1);
		var other = Threads.start(call);
		await().until(() -> context.getBean(HoldfastLockRegistry.class).status().acquiring() == 1);
		prices.open();
		Threads.join(one);
		Threads.join(other);
		return prices.calls();
	}

	static class Prices {

		private final AtomicInteger calls = new AtomicInteger();

		private volatile CountDownLatch market = new CountDownLatch(0);

		int calls() {
			return this.calls.get();
		}

		void close() {
			this.market = new CountDownLatch(1);
		}

		void open() {
			this.market.countDown();
		}

		@Cacheable("prices")
		@DistributedLock(name = "price", key = "#item", waitFor = "30s")
		public int price(String item) {
			return market(item);
		}

		private int market(String item) {
			int call = this.calls.incrementAndGet();
			Threads.await(this.market);
			return item.length() + call;
		}

	}

	static class Catalogue {

		private final Prices prices;

		Catalogue(Prices prices) {
			this.prices = prices;
		}

		@Cacheable("prices")
		public int price(String item) {
			return this.prices.price(item);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Caches {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class CachingAsUsual {

	}

}
