package io.holdfast.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockLostEvent;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.engine.Claims;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.store.LockStore;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * What is there in an application, and what is not.
 */
class HoldfastAutoConfigurationTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastHealthContributorAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
				"holdfast.wait-for=30s");

	// Beans

	@Test
	void setsUpLocks() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class)
				.hasSingleBean(HoldfastLockRegistry.class)
				.hasSingleBean(RedisLockStore.class)
				.hasSingleBean(LockTemplate.class)
				.hasSingleBean(DistributedLockAdvisor.class)
				.hasBean("locksHealthIndicator");
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
				assertThat(handle.isHeld()).isTrue();
			}
		});
	}

	@Test
	void worksWithLettuce() {
		this.contextRunner.withPropertyValues("spring.data.redis.client-type=lettuce").run((context) -> {
			assertThat(context.getBean(LettuceConnectionFactory.class))
				.isSameAs(context.getBean("redisConnectionFactory"));
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire("lettuce")) {
				assertThat(handle.isHeld()).isTrue();
			}
		});
	}

	@Test
	void setsUpNothingWhenDisabled() {
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.withUserConfiguration(LockedService.class)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(LockRegistry.class)
					.doesNotHaveBean(LockTemplate.class)
					.doesNotHaveBean(LockStore.class)
					.doesNotHaveBean(DistributedLockAdvisor.class)
					.doesNotHaveBean(LocksHealthIndicator.class);
				assertThat(AopUtils.isAopProxy(context.getBean(LockedService.class))).isFalse();
			});
	}

	@Test
	void backsOffToRegistryOfTheUser() {
		LockRegistry own = mock(LockRegistry.class);
		this.contextRunner.withBean(LockRegistry.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.hasSingleBean(LockTemplate.class)
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(LockLifecycle.class)
				.doesNotHaveBean(LocksHealthIndicator.class));
	}

	@Test
	void backsOffToTemplateOfTheUser() {
		LockTemplate own = new LockTemplate(mock(LockRegistry.class));
		this.contextRunner.withBean("ownTemplate", LockTemplate.class, () -> own)
			.run((context) -> assertThat(context).getBean(LockTemplate.class).isSameAs(own));
	}

	@Test
	void backsOffToStoreOfTheUser() {
		this.contextRunner.withBean(LockStore.class, () -> mock(LockStore.class))
			.run((context) -> assertThat(context).hasSingleBean(LockStore.class)
				.doesNotHaveBean(RedisLockStore.class)
				.hasSingleBean(HoldfastLockRegistry.class));
	}

	@Test
	void healthCanBeSwitchedOff() {
		this.contextRunner.withPropertyValues("management.health.locks.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksHealthIndicator.class)
				.hasSingleBean(LockRegistry.class));
	}

	@Test
	void worksWithoutActuator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean("locksHealthIndicator"));
	}

	@Test
	void missingRedisSaysWhatToAdd() {
		assertThatStartFails(new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class)), (analysis) -> {
				assertThat(analysis.getDescription()).contains("RedisConnectionFactory");
				assertThat(analysis.getAction()).contains("spring.data.redis.*", "holdfast.store=local");
			});
	}

	@Test
	void missingSpringDataRedisSaysWhatToAdd() {
		assertThatStartFails(
				new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
					.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class)),
				(analysis) -> assertThat(analysis.getAction()).contains("spring.data.redis.*"));
	}

	@Test
	void severalConnectionFactoriesWithoutAPrimaryOneSayWhatToDo() {
		assertThatStartFails(this.contextRunner.withUserConfiguration(TwoConnectionFactories.class),
				(analysis) -> assertThat(analysis.getAction()).contains("@Primary"));
	}

	@Test
	void listenersCanUseLocksThemselves() {
		this.contextRunner.withUserConfiguration(ListenerWithTemplate.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockTemplate.class).acquire("listened-to").close();
			assertThat(context.getBean(ListenerWithTemplate.CountingListener.class).acquired).hasValue(1);
		});
	}

	@Test
	void contextThatFailsToStartLeavesNothingBehind() {
		this.contextRunner.withUserConfiguration(FailingLate.class).run((context) -> assertThat(context).hasFailed());
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.exists("holdfast:{startup}")).isFalse();
		}
		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.doesNotContain("holdfast-timer", "holdfast-wake-up"));
	}

	@Test
	void methodsAreInterceptedAlsoWithoutBootsProxies() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=" + redis.port(), "holdfast.wait-for=30s")
			.withUserConfiguration(LockedService.class)
			.run((context) -> assertThat(context.getBean(LockedService.class).heldKeys()).containsExactly("service"));
	}

	// Properties

	@Test
	void propertiesApply() {
		this.contextRunner
			.withPropertyValues("holdfast.key-prefix=acme", "holdfast.lease=1m", "holdfast.wait-for=0",
					"holdfast.token-retention=1h")
			.run((context) -> {
				try (Jedis jedis = redis.connect();
						LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
					assertThat(jedis.pttl("acme:{k}")).isBetween(50_000L, 60_000L);
					assertThat(jedis.pttl("acme:{k}:token")).isBetween(3_600_000L, 3_660_000L);
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(
								() -> context.getBean(LockTemplate.class).acquire(LockRequest.of("k").ownedByHandle()))
						.satisfies((ex) -> assertThat(ex.getWaited()).isLessThan(Duration.ofSeconds(10)));
					assertThat(handle.isHeld()).isTrue();
				}
			});
	}

	@Test
	void orderOfTheAspectIsOutsideTransactionsUnlessSet() {
		this.contextRunner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isLessThan(Ordered.LOWEST_PRECEDENCE));
		this.contextRunner.withPropertyValues("holdfast.aspect.order=7")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(7));
	}

	@ParameterizedTest
	@CsvSource({ "true,,1", "false,,0", "true,false,0", "false,true,1" })
	void waitersAreFairAsConfiguredUnlessTheRequestSaysOtherwise(boolean configured, @Nullable Boolean requested,
			long fairWaiters) {
		this.contextRunner.withPropertyValues("holdfast.fair=" + configured).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest request = (requested != null) ? LockRequest.of("fair").fair(requested) : LockRequest.of("fair");
			RedisLockStore other = new RedisLockStore(context.getBean(RedisConnectionFactory.class), "holdfast",
					"other", Duration.ofHours(1), RedisView::new);
			LockStore.Granted held = (LockStore.Granted) other
				.acquire(Claims.exclusive("fair", "other:1", Duration.ofSeconds(30), 0, null));
			CompletableFuture<LockHandle> waiter = Threads.start(() -> template.acquire(request.ownedByHandle()));
			try (Jedis jedis = redis.connect()) {
				await().until(() -> jedis.zcard("holdfast:{fair}:queue") == 1);
				assertThat(jedis.zcard("holdfast:{fair}:fair")).isEqualTo(fairWaiters);
			}
			other.release(new LockStore.HoldId("other:1", held.grants()), 0);
			Threads.join(waiter).release();
		});
	}

	@Test
	void renewalCanBeSwitchedOff() {
		this.contextRunner.withPropertyValues("holdfast.lease=200ms", "holdfast.auto-renew=false").run((context) -> {
			LockHandle handle = context.getBean(LockTemplate.class).acquire("no-renewal");
			await().until(() -> !handle.isHeld());
		});
	}

	@Test
	void renewalCanBeCapped() {
		this.contextRunner.withPropertyValues("holdfast.lease=200ms", "holdfast.max-hold=300ms").run((context) -> {
			LockHandle handle = context.getBean(LockTemplate.class).acquire("max-hold");
			await().until(() -> !handle.isHeld());
		});
	}

	@ParameterizedTest
	@CsvSource({ "throw,true", "log,false", "interrupt,true" })
	void onLostDecidesWhatTheCallerSees(String onLost, boolean thrown) {
		this.contextRunner.withPropertyValues("holdfast.on-lost=" + onLost).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Runnable section = () -> template.executeWithoutResult("on-lost", (lock) -> {
				try (Jedis jedis = redis.connect()) {
					jedis.del("holdfast:{on-lost}");
				}
			});
			if (thrown) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(section::run);
			}
			else {
				section.run();
			}
		});
	}

	@Test
	void anotherInstanceGoesFirstWithoutLocalHandoffs() {
		this.contextRunner.withPropertyValues("holdfast.local-handoffs=0").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			RedisLockStore other = new RedisLockStore(context.getBean(RedisConnectionFactory.class), "holdfast",
					"other", Duration.ofHours(1), RedisView::new);
			List<String> wakeUps = new CopyOnWriteArrayList<>();
			other.listen(new RecordingWakeUps(wakeUps));
			await().until(() -> other.subscription() == LockStore.Subscription.ACTIVE);
			LockHandle first = template.acquire("k");
			CompletableFuture<LockHandle> next = Threads
				.start(() -> template.acquire(LockRequest.of("k").ownedByHandle()));
			await().until(() -> context.getBean(HoldfastLockRegistry.class).status().acquiring() == 1);
			LockStore.QueuePlace place = new LockStore.QueuePlace("other:1#1", Duration.ofMinutes(1));
			LockStore.Claim claim = Claims.exclusive("k", "other:1", Duration.ofSeconds(30), 0, place);
			assertThat(other.acquire(claim)).isInstanceOf(LockStore.Denied.class);
			first.release();
			await().untilAsserted(() -> assertThat(wakeUps).containsExactly("k"));
			other.withdraw(claim, Duration.ZERO);
			Threads.join(next).close();
			other.stopListening();
		});
	}

	private record RecordingWakeUps(List<String> keys) implements LockStore.WakeUpListener {

		@Override
		public void wakeUp(String key, String placeId) {
			this.keys.add(key);
		}

		@Override
		public void wakeUpAll() {
		}

		@Override
		public void forceReleased(LockStore.HoldId hold) {
		}

	}

	@ParameterizedTest
	@CsvSource({ "holdfast.lease,99ms,100 ms", "holdfast.lease,-1s,100 ms", "holdfast.lease,400d,365 days",
			"holdfast.wait-for,-2s,-1", "holdfast.max-hold,0,positive", "holdfast.warn-hold,0,positive",
			"holdfast.warn-wait,-1s,positive", "holdfast.token-retention,0,positive",
			"holdfast.shutdown-grace,-1s,negative", "holdfast.key-prefix,a{b},braces", "holdfast.key-prefix,' ',blank",
			"holdfast.local-handoffs,-1,negative", "holdfast.redis.node-timeout,0,positive",
			"holdfast.redis.replica-ack-timeout,0,positive", "holdfast.redis.replica-acks,-1,negative" })
	void badValueNamesItsProperty(String property, String value, String reason) {
		assertThatStartFails(this.contextRunner.withPropertyValues(property + "=" + value), (analysis) -> {
			assertThat(analysis.getCause()).isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
					(cause) -> assertThat(cause.getName()).isEqualTo(property));
			assertThat(analysis.getDescription()).contains(property, reason);
		});
	}

	@Test
	void timesWithoutEndAreAsLongAsNeeded() {
		this.contextRunner
			.withPropertyValues(Stream.of("wait-for", "max-hold", "warn-hold", "warn-wait", "shutdown-grace")
				.map((name) -> "holdfast." + name + "=9223372036854775807s")
				.toArray(String[]::new))
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockHandle held = template.acquire("k");
				CompletableFuture<LockHandle> next = template.acquireAsync(LockRequest.of("k"));
				await().until(() -> context.getBean(HoldfastLockRegistry.class).status().waiting() == 1);
				assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(Threads.join(next).release()).isEqualTo(ReleaseResult.RELEASED);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "aspectj", "ASPECTJ", "aspect-j" })
	void weavingNeedsAWeaver(String mode) {
		assertThatStartFails(this.contextRunner.withPropertyValues("holdfast.aspect.mode=" + mode), (analysis) -> {
			assertThat(analysis.getDescription()).contains("'holdfast.aspect.mode' is 'aspectj'",
					"would run without their locks");
			assertThat(analysis.getAction()).contains("-javaagent:<path>/aspectjweaver", "'proxy'");
		});
	}

	@Test
	void unknownModeNamesItsProperty() {
		assertThatStartFails(this.contextRunner.withPropertyValues("holdfast.aspect.mode=magic"),
				(analysis) -> assertThat(analysis.getDescription()).contains("holdfast.aspect.mode", "magic"));
	}

	@Test
	void replicasAreWaitedForForLessThanTheLease() {
		ApplicationContextRunner same = this.contextRunner.withPropertyValues("holdfast.lease=1s",
				"holdfast.redis.replica-ack-timeout=1s");
		assertThatStartFails(same.withPropertyValues("holdfast.redis.replica-acks=1"),
				(analysis) -> assertThat(analysis.getDescription()).contains("holdfast.redis.replica-ack-timeout",
						"less than 'holdfast.lease', which is PT1S"));
		same.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { JedisCluster.class, LettuceCluster.class })
	void replicasOfAClusterAreNotWaitedFor(Class<?> cluster) {
		ApplicationContextRunner onCluster = this.contextRunner.withUserConfiguration(cluster);
		assertThatStartFails(onCluster.withPropertyValues("holdfast.redis.replica-acks=1"),
				(analysis) -> assertThat(analysis.getDescription()).contains("holdfast.redis.replica-acks",
						"spring.data.redis.cluster.nodes"));
		onCluster.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void waitWithoutLimitIsMinusOne() {
		this.contextRunner.withPropertyValues("holdfast.wait-for=-1")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	// Annotations that cannot work

	@ParameterizedTest
	@ValueSource(classes = { BadExpression.class, BadCondition.class, BadLease.class, NegativeWait.class,
			ShortLease.class, BadMinHold.class, MissingPlaceholder.class, BadSecond.class, NoKey.class,
			ParameterAsName.class, PlaceholderAsName.class })
	void badAnnotationNamesClassMethodAndAttribute(Class<?> type) {
		Expected expected = type.getAnnotation(Expected.class);
		assertThatStartFails(this.contextRunner.withUserConfiguration(type), (analysis) -> {
			assertThat(analysis.getDescription()).contains(type.getName() + ".method()", "'" + expected.value() + "'");
			assertThat(analysis.getAction()).isNotBlank();
		});
	}

	// Events and shutdown

	@Test
	void lossIsPublishedAsAnEventAndToldToListeners() {
		this.contextRunner.withUserConfiguration(Observers.class)
			.withPropertyValues("holdfast.on-lost=log")
			.run((context) -> {
				context.getBean(LockTemplate.class).executeWithoutResult("event", (lock) -> {
					try (Jedis jedis = redis.connect()) {
						jedis.del("holdfast:{event}");
					}
				});
				Observers observers = context.getBean(Observers.class);
				await().untilAsserted(() -> assertThat(observers.events).singleElement().satisfies((event) -> {
					assertThat(event.lock().keys()).containsExactly("event");
					assertThat(event.cause()).isInstanceOf(LockLostException.class);
				}));
				assertThat(observers.losses).hasSize(1);
			});
	}

	@Test
	void closingTheContextReleasesWhatIsHeld() {
		this.contextRunner.withPropertyValues("holdfast.shutdown-grace=0")
			.run((context) -> context.getBean(LockTemplate.class).acquire("left-behind"));
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.exists("holdfast:{left-behind}")).isFalse();
		}
	}

	@Test
	void waitsGoOnWhenAChildOfTheContextIsClosed() {
		this.contextRunner.withPropertyValues("holdfast.shutdown-grace=0").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockHandle handle = template.acquire(LockRequest.of("parent").ownedByHandle());
			try (GenericApplicationContext child = new GenericApplicationContext(
					context.getSourceApplicationContext())) {
				child.refresh();
			}
			LockRequest impatient = LockRequest.of("parent").waitFor(Duration.ofMillis(10));
			assertThat(template.tryAcquire(impatient)).isEmpty();
			context.publishEvent(new ContextClosedEvent(context.getSourceApplicationContext()));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire(impatient));
			handle.close();
		});
	}

	@Test
	void twoContextsAreTwoInstances() {
		this.contextRunner.run((one) -> this.contextRunner.run((two) -> {
			try (LockHandle handle = one.getBean(LockTemplate.class).acquire("shared")) {
				assertThat(two.getBean(LockTemplate.class).tryAcquire(LockRequest.of("shared").waitFor(Duration.ZERO)))
					.isEmpty();
				assertThat(handle.isHeld()).isTrue();
			}
		}));
	}

	private static void assertThatStartFails(ApplicationContextRunner runner, Consumer<FailureAnalysis> check) {
		runner.run((context) -> {
			assertThat(context).hasFailed();
			check.accept(FailureAnalyses.of(context.getStartupFailure()));
		});
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Expected {

		String value();

	}

	static class LockedService {

		private final LockRegistry registry;

		LockedService(ObjectProvider<LockRegistry> registry) {
			this.registry = registry.getIfAvailable();
		}

		@DistributedLock(key = "'service'")
		List<String> heldKeys() {
			return this.registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
		}

	}

	@Expected("key")
	static class BadExpression {

		@DistributedLock(key = "#order.")
		void method() {
		}

	}

	@Expected("condition")
	static class BadCondition {

		@DistributedLock(key = "'k'", condition = "#a ==")
		void method() {
		}

	}

	@Expected("lease")
	static class BadLease {

		@DistributedLock(key = "'k'", lease = "soon")
		void method() {
		}

	}

	@Expected("waitFor")
	static class NegativeWait {

		@DistributedLock(key = "'k'", waitFor = "-5s")
		void method() {
		}

	}

	@Expected("lease")
	static class ShortLease {

		@DistributedLock(key = "'k'", lease = "0")
		void method() {
		}

	}

	@Expected("maxHold")
	static class MissingPlaceholder {

		@DistributedLock(key = "'k'", maxHold = "${not.there}")
		void method() {
		}

	}

	@Expected("lease")
	static class BadSecond {

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", lease = "soon")
		void method() {
		}

	}

	@Expected("name")
	static class ParameterAsName {

		@DistributedLock(name = "#id")
		void method() {
		}

	}

	@Expected("name")
	static class PlaceholderAsName {

		@DistributedLock(name = "${jobs.name}", key = "'k'")
		void method() {
		}

	}

	@Expected("key")
	static class NoKey {

		@DistributedLock
		void method() {
		}

	}

	@Expected("minHold")
	static class BadMinHold {

		@DistributedLock(key = "'k'", minHold = "-1s")
		void method() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoConnectionFactories {

		@Bean(destroyMethod = "destroy")
		JedisConnectionFactory one() {
			return Connections.jedis(redis.port());
		}

		@Bean(destroyMethod = "destroy")
		JedisConnectionFactory two() {
			return Connections.jedis(redis.port());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class JedisCluster {

		@Bean
		JedisConnectionFactory connections() {
			JedisConnectionFactory connections = new JedisConnectionFactory(
					new RedisClusterConfiguration(List.of("127.0.0.1:1")));
			connections.setEarlyStartup(false);
			connections.setAutoStartup(false);
			return connections;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LettuceCluster {

		@Bean
		LettuceConnectionFactory connections() {
			return new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:1")));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ListenerWithTemplate {

		@Bean
		CountingListener countingListener(LockTemplate template) {
			return new CountingListener();
		}

		static class CountingListener implements LockListener {

			private final AtomicInteger acquired = new AtomicInteger();

			@Override
			public void onAcquired(LockSnapshot lock, Duration waited) {
				this.acquired.incrementAndGet();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailingLate {

		@Bean
		Object failing(LockTemplate template) {
			template.acquire("startup");
			boolean acquired = Threads
				.call(() -> template.tryAcquire(LockRequest.of("startup").waitFor(Duration.ofMillis(100))).isPresent());
			throw new IllegalStateException("Startup fails, " + acquired);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Observers {

		private final List<LockLostEvent> events = new CopyOnWriteArrayList<>();

		private final List<LockSnapshot> losses = new CopyOnWriteArrayList<>();

		@EventListener
		void onLost(LockLostEvent event) {
			this.events.add(event);
		}

		@Bean
		LockListener lossListener() {
			return new LockListener() {
				@Override
				public void onLost(LockSnapshot lock, Throwable cause) {
					Observers.this.losses.add(lock);
				}
			};
		}

	}

}
