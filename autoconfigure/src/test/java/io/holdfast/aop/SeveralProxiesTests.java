package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockListener;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.OnFailure;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods of beans around which there are several proxies, each of which would
 * lock.
 */
class SeveralProxiesTests {

	private static void run(Class<?> proxies, ProxiesTest test) {
		LocalApplication.with(Acquisitions.class, Workers.class, proxies).run((context) -> {
			Stock stock = context.getBean("stock", Stock.class);
			assertThat(((Advised) stock).getTargetSource().getTarget()).isInstanceOf(Advised.class);
			test.run(stock, context.getBean(Acquisitions.class), context);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { SecondCreator.class, ProxiedByHand.class, Swappable.class })
	void callLocksOnce(Class<?> proxies) {
		run(proxies, (stock, acquisitions, context) -> {
			assertThat(stock.plain()).isEqualTo("done");
			assertThat(stock.several()).isEqualTo("done");
			assertThat(Threads.join(stock.future())).isEqualTo("done");
			assertThat(stock.flux().blockLast()).isEqualTo("done");
			assertThat(Threads.join(stock.async())).isEqualTo("done");
			assertThat(acquisitions.keys).containsExactly("plain", "several", "future", "flux", "async");
		});
	}

	@Test
	void callsOfTheMethodByItselfOrAnotherInstanceAreLockedAgain() {
		run(SecondCreator.class, (stock, acquisitions, context) -> {
			Stock other = (Stock) context.getBean("otherStock");
			stock.nested("outer", () -> stock.nested("inner", () -> other.nested("innermost", () -> {
				LockAssert.assertHeld("outer");
				LockAssert.assertHeld("inner");
				LockAssert.assertHeld("innermost");
			})));
			assertThat(acquisitions.keys).containsExactly("outer", "inner", "innermost");
		});
	}

	@Test
	void callsThatFailOrAreRefusedLeaveNothingBehind() {
		run(SecondCreator.class, (stock, acquisitions, context) -> {
			LocalApplication.whileHeldElsewhere(context, "plain", () -> assertThat(stock.skipped()).isNull());
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> stock.nested("key", () -> {
				throw new IllegalArgumentException();
			}));
			stock.nested("key", () -> LockAssert.assertHeld("key"));
			assertThat(context.getBean(LockRegistry.class).held()).isEmpty();
		});
	}

	interface ProxiesTest {

		void run(Stock stock, Acquisitions acquisitions, ApplicationContext context) throws Exception;

	}

	static class Acquisitions implements LockListener {

		private final List<String> keys = new CopyOnWriteArrayList<>();

		@Override
		public void onAcquired(LockSnapshot lock, Duration waited) {
			this.keys.add(lock.keys().get(0));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondCreator {

		@Bean
		static DefaultAdvisorAutoProxyCreator secondCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		Stock stock() {
			return new Stock();
		}

		@Bean(autowireCandidate = false)
		Stock otherStock() {
			return new Stock();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByHand {

		@Bean
		Stock stock(DistributedLockAdvisor advisor) {
			ProxyFactory factory = new ProxyFactory(new Stock());
			factory.setProxyTargetClass(true);
			factory.addAdvisor(advisor);
			return (Stock) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Swappable {

		@Bean
		Stock target() {
			return new Stock();
		}

		@Bean
		Stock stock(Stock target) {
			ProxyFactory factory = new ProxyFactory();
			factory.setProxyTargetClass(true);
			factory.setTargetSource(new HotSwappableTargetSource(target));
			return (Stock) factory.getProxy();
		}

	}

	@EnableAsync
	@Configuration(proxyBeanMethods = false)
	static class Workers {

	}

	static class Stock {

		@DistributedLock("'plain'")
		public String plain() {
			return "done";
		}

		@DistributedLock(key = "{'several', 'keys'}")
		public String several() {
			return "done";
		}

		@DistributedLock("'future'")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("'flux'")
		public Flux<String> flux() {
			return Flux.just("done");
		}

		@Async
		@DistributedLock("'async'")
		public CompletableFuture<String> async() {
			LockAssert.assertHeld("async");
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("#key")
		public String nested(String key, Runnable action) {
			action.run();
			return key;
		}

		@DistributedLock(key = "'plain'", onFailure = OnFailure.SKIP)
		public String skipped() {
			return "done";
		}

	}

}
