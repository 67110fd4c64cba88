package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.OnFailure;
import io.holdfast.test.Threads;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods of beans around which there are several proxies, each of which would
 * lock.
 */
class SeveralProxiesTests {

	private static void withSecondCreator(ProxiesTest test, Class<?>... more) {
		run(LocalApplication.with(Acquisitions.class, SecondCreator.class, Stock.class).withUserConfiguration(more),
				test);
	}

	private static void run(ApplicationContextRunner application, ProxiesTest test) {
		application.run((context) -> {
			Object inner = AopProxyUtils.getSingletonTarget(context.getBean(Stock.class));
			assertThat(inner).isInstanceOf(Advised.class);
			test.run(context.getBean(Stock.class), context.getBean(Acquisitions.class), context);
		});
	}

	private static Object call(Stock stock, String kind) {
		return switch (kind) {
			case "plain" -> stock.plain();
			case "fair" -> stock.fair();
			case "shared" -> stock.shared();
			case "several" -> stock.several();
			case "minHold" -> stock.minHold();
			case "future" -> stock.future().join();
			case "mono" -> stock.mono().block();
			case "flux" -> stock.flux().blockLast();
			default -> stock.async().join();
		};
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "fair", "shared", "several", "minHold", "future", "mono", "flux", "async" })
	void callLocksOnce(String kind) {
		withSecondCreator((stock, acquisitions, context) -> {
			assertThat(call(stock, kind)).isEqualTo("done");
			assertThat(acquisitions.keys).containsExactly(kind);
		}, Workers.class);
	}

	@Test
	void threeProxiesLockOnce() {
		run(LocalApplication.with(Acquisitions.class, SecondCreator.class, ProxiedByHand.class),
				(stock, acquisitions, context) -> {
					assertThat(call(stock, "plain")).isEqualTo("done");
					assertThat(call(stock, "future")).isEqualTo("done");
					assertThat(call(stock, "mono")).isEqualTo("done");
					assertThat(acquisitions.keys).containsExactly("plain", "future", "mono");
				});
	}

	@Test
	void proxyWhoseTargetCanBeSwappedLocksOnce() {
		LocalApplication.with(Acquisitions.class, Stock.class, Swappable.class).run((context) -> {
			Stock stock = (Stock) context.getBean("swappable");
			List.of("plain", "future", "mono").forEach((kind) -> assertThat(call(stock, kind)).isEqualTo("done"));
			assertThat(context.getBean(Acquisitions.class).keys).containsExactly("plain", "future", "mono");
		});
	}

	@Test
	void innermostLocks() {
		withSecondCreator((stock, acquisitions, context) -> {
			call(stock, "plain");
			assertThat(context.getBean(Audit.class).held).containsExactly(false, true);
		}, Audit.class);
	}

	@Test
	void callsOfTheMethodByItselfAreLockedAgain() {
		withSecondCreator((stock, acquisitions, context) -> {
			stock.nested("outer", () -> stock.nested("inner", () -> {
				LockAssert.assertHeld("outer");
				LockAssert.assertHeld("inner");
			}));
			assertThat(acquisitions.keys).containsExactly("outer", "inner");
		});
	}

	@Test
	void callsOfAnotherInstanceAreLockedAgain() {
		withSecondCreator((stock, acquisitions, context) -> {
			Stock other = (Stock) context.getBean("otherStock");
			stock.nested("outer", () -> other.nested("inner", () -> LockAssert.assertHeld("inner")));
			assertThat(acquisitions.keys).containsExactly("outer", "inner");
		}, OtherStock.class);
	}

	@Test
	void callsOnAnotherThreadAreLockedAgain() {
		withSecondCreator((stock, acquisitions, context) -> stock.nested("key",
				() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> Threads.call(() -> stock.nested("key", () -> {
					})))));
	}

	@Test
	void callsThatFailOrAreRefusedLeaveNothingBehind() {
		withSecondCreator((stock, acquisitions, context) -> {
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
	static class Swappable {

		@Bean
		Stock swappable(Stock target) {
			ProxyFactory factory = new ProxyFactory();
			factory.setProxyTargetClass(true);
			factory.setTargetSource(new HotSwappableTargetSource(target));
			return (Stock) factory.getProxy();
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
	static class OtherStock {

		@Bean(autowireCandidate = false)
		Stock otherStock() {
			return new Stock();
		}

	}

	@EnableAsync
	@Configuration(proxyBeanMethods = false)
	static class Workers {

	}

	/**
	 * An aspect that both creators apply, inside of the lock of each.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Audit {

		private final List<Boolean> held = new CopyOnWriteArrayList<>();

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor audit(ObjectProvider<Audit> audit, ObjectProvider<LockRegistry> registry) {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setMappedName("plain");
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				audit.getObject().held.add(registry.getObject().isHeldByCurrentThread("plain"));
				return invocation.proceed();
			});
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
			return advisor;
		}

	}

	static class Stock {

		@DistributedLock("'plain'")
		public String plain() {
			return "done";
		}

		@DistributedLock(key = "'fair'", fair = true)
		public String fair() {
			return "done";
		}

		@DistributedLock(key = "'shared'", mode = LockMode.SHARED)
		public String shared() {
			return "done";
		}

		@DistributedLock(key = "{'several', 'keys'}")
		public String several() {
			return "done";
		}

		@DistributedLock(key = "'minHold'", minHold = "30s", lease = "60s")
		public String minHold() {
			return "done";
		}

		@DistributedLock("'future'")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("'mono'")
		public Mono<String> mono() {
			return Mono.just("done");
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
