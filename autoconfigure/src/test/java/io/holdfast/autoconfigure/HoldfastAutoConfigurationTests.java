package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.engine.EngineListener;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;
import io.holdfast.local.LocalLockStore;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

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

	private final ApplicationContextRunner local = this.contextRunner.withPropertyValues("holdfast.store=local",
			"holdfast.wait-for=5s");

	@Test
	void listensUnderItsNewIdWhenItIsStartedAgain() {
		this.contextRunner.withPropertyValues("holdfast.shutdown-grace=0").run((context) -> {
			HoldfastLockRegistry registry = context.getBean(HoldfastLockRegistry.class);
			String earlier = registry.status().instanceId();
			context.getBean(LockTemplate.class).acquire("restart");
			context.getSourceApplicationContext(GenericApplicationContext.class).stop();
			context.getSourceApplicationContext(GenericApplicationContext.class).start();
			context.getBean(LockTemplate.class).acquire("restarted").release();
			String id = registry.status().instanceId();
			await().untilAsserted(() -> assertThat(wakeUpChannels()).contains(id).doesNotContain(earlier));
		});
	}

	private static List<String> wakeUpChannels() {
		try (Jedis jedis = redis.connect()) {
			return jedis.pubsubChannels("holdfast:wake:*")
				.stream()
				.map((channel) -> channel.substring("holdfast:wake:".length()))
				.toList();
		}
	}

	@Test
	void setsUpNothingWhenDisabled() {
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.withUserConfiguration(Misspelt.class)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(LockRegistry.class)
					.doesNotHaveBean(LockTemplate.class)
					.doesNotHaveBean(LockStore.class)
					.doesNotHaveBean(DistributedLockAdvisor.class)
					.doesNotHaveBean(LocksHealthIndicator.class);
				assertThat(AopUtils.isAopProxy(context.getBean(Misspelt.class))).isFalse();
				assertThat(context.getBean(Misspelt.class).ship("42")).isEqualTo("42");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "YES", "1" })
	void isNotDisabledByOtherWordsForTrue(String value) {
		this.contextRunner.withPropertyValues("holdfast.enabled=" + value)
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast.enabled=treu", "holdfast.enabled=", "holdfast.announce=treu" })
	void doesNotStartWithASwitchThatIsNeitherOnNorOff(String property) {
		this.contextRunner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("'" + property.split("=")[0] + "' to"));
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
	void healthCanBeSwitchedOffAndActuatorIsOptional() {
		this.contextRunner.withPropertyValues("management.health.locks.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksHealthIndicator.class)
				.hasSingleBean(LockRegistry.class));
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean("locksHealthIndicator"));
	}

	@Test
	void missingSpringDataRedisSaysWhatToAdd() {
		FailureAnalyses.assertThatStartFails(
				new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
					.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class)),
				(analysis) -> assertThat(analysis.getAction()).contains("spring.data.redis.*"));
	}

	/**
	 * Also an empty list is refused: an application that wants a quorum must not get a
	 * single Redis.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "", "redis://:hush@a,redis://b,redis://c" })
	void independentMastersWithoutTheirModuleSayWhatToAdd(String nodes) {
		FailureAnalyses.assertThatStartFails(this.contextRunner.withPropertyValues("holdfast.redis.nodes=" + nodes),
				(analysis) -> assertThat(analysis.getDescription()).contains("holdfast.redis.nodes")
					.doesNotContain("hush"));
	}

	@Test
	void severalConnectionFactoriesWithoutAPrimaryOneSayWhatToDo() {
		FailureAnalyses.assertThatStartFails(
				this.contextRunner.withBean("one", JedisConnectionFactory.class)
					.withBean("two", JedisConnectionFactory.class),
				(analysis) -> assertThat(analysis.getAction()).contains("@Primary"));
	}

	/**
	 * As the test framework pauses a context while another one is used.
	 */
	@ParameterizedTest
	@CsvSource({ "redis, jedis", "redis, lettuce", "local, jedis" })
	void locksGoOnInAPause(String store, String client) {
		this.contextRunner.withUserConfiguration(ScheduledJob.class)
			.withPropertyValues("holdfast.store=" + store, "spring.data.redis.client-type=" + client)
			.run((source) -> {
				ScheduledJob job = source.getBean(ScheduledJob.class);
				await().until(() -> job.runs() > 0);
				ConfigurableApplicationContext context = source.getSourceApplicationContext();
				context.pause();
				int before = job.runs();
				await().until(() -> job.runs() > before + 2);
				context.restart();
				LockTemplate template = source.getBean(LockTemplate.class);
				LockHandle handle = template.acquire(LockRequest.of("paused").ownedByHandle());
				CompletableFuture<Boolean> waiter = Threads.start(() -> template.execute("paused", LockHandle::isHeld));
				await().until(() -> source.getBean(HoldfastLockRegistry.class).status().acquiring() == 1);
				assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(Threads.join(waiter)).isTrue();
			});
	}

	@ParameterizedTest
	@CsvSource({ "listener, locking", "locking, listener" })
	void whatAListenerNeedsCanUseLocksWhileItIsCreated(String first, String second) {
		Map<String, Class<?>> beans = Map.of("listener", NeedyListener.class, "locking", LockingInConstructor.class);
		try (RecordedLog log = new RecordedLog()) {
			this.contextRunner
				.withInitializer((context) -> Stream.of(first, second)
					.forEach((name) -> ((GenericApplicationContext) context).registerBeanDefinition(name,
							new RootBeanDefinition(beans.get(name)))))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					context.getBean(LockTemplate.class).acquire("later").close();
					assertThat(context.getBean(NeedyListener.class).keys).contains("later");
				});
			assertThat(log.lines("listener")).isEmpty();
		}
	}

	@Test
	void listenerToTheEngineThatThrowsConcernsNoLock() {
		this.contextRunner.withUserConfiguration(FailingListener.class).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			try (RecordedLog log = new RecordedLog()) {
				for (int i = 0; i < 3; i++) {
					assertThat(locks.acquire("listener").release()).isEqualTo(ReleaseResult.RELEASED);
				}
				assertThat(log.lines("A listener to the lock engine threw an exception")).hasSize(1);
			}
		});
	}

	@Test
	void sectionThatClosesAnotherContextKeepsItsLock() {
		this.contextRunner.run((context) -> {
			String result = context.getBean(LockTemplate.class).execute("outer", (lock) -> {
				this.contextRunner.run((other) -> other.getBean(LockTemplate.class).acquire("inner"));
				return lock.isHeld() ? "held" : "lost";
			});
			assertThat(result).isEqualTo("held");
		});
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.exists("holdfast:{inner}")).isFalse();
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
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("parent"));
			handle.close();
		});
	}

	@Test
	void locksInMemoryNeedNothingOfRedisAndSaySo() {
		try (RecordedLog log = new RecordedLog()) {
			this.local
				.withClassLoader(
						new FilteredClassLoader("org.springframework.data.redis", "redis.clients.jedis", "io.lettuce"))
				.run((context) -> {
					assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(LocalLockStore.class);
					assertThat(context.getBean(LockTemplate.class).tryExecute("k", LockHandle::isHeld)).contains(true);
					assertThat(context.getBean(LocksHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
				});
			assertThat(log.lines("exclude inside this JVM only")).hasSize(1);
		}
	}

	@Test
	void longHoldsAreWarnedOfWhenThatIsAskedFor() {
		this.local.withPropertyValues("holdfast.warn-hold=100ms").run((context) -> {
			try (RecordedLog log = new RecordedLog();
					LockHandle lock = context.getBean(LockTemplate.class).acquire("warned")) {
				await().until(() -> !log.lines("Long hold of lock 'warned'").isEmpty());
				assertThat(lock.isHeld()).isTrue();
			}
		});
	}

	@Test
	void applicationsInOneJvmExcludeEachOther() {
		LockRequest request = LockRequest.of("shared-by-two").waitFor(Duration.ZERO);
		this.local.run((first) -> this.local.run((second) -> {
			try (LockHandle handle = first.getBean(LockTemplate.class).acquire(request)) {
				assertThat(second.getBean(LockTemplate.class).tryAcquire(request)).isEmpty();
				assertThat(handle.isHeld()).isTrue();
			}
			assertThat(second.getBean(LockTemplate.class).tryExecute(request, LockHandle::isHeld)).contains(true);
		}));
	}

	@EnableScheduling
	@Configuration(proxyBeanMethods = false)
	static class ScheduledJob {

		private final AtomicInteger runs = new AtomicInteger();

		@Scheduled(fixedDelay = 50)
		@DistributedLock(key = "'scheduled'", waitFor = "0")
		public void run() {
			this.runs.incrementAndGet();
		}

		int runs() {
			return this.runs.get();
		}

	}

	static class Misspelt {

		@DistributedLock(key = "#ordr")
		String ship(String order) {
			return order;
		}

	}

	interface Locking {

	}

	static class LockingInConstructor implements Locking {

		LockingInConstructor(LockTemplate template) {
			template.acquire("locking").close();
		}

	}

	static class RecordingKeys implements LockListener {

		final List<String> keys = new CopyOnWriteArrayList<>();

		@Override
		public void onAcquired(LockSnapshot lock, Duration waited) {
			this.keys.addAll(lock.keys());
		}

	}

	static class NeedyListener extends RecordingKeys {

		NeedyListener(Locking needed) {
			assertThat(needed).isNotNull();
		}

	}

	static class FailingListener implements EngineListener {

		@Override
		public void held(HeldLock lock) {
			throw new IllegalStateException("held");
		}

		@Override
		public void ended(HeldLock lock) {
			throw new IllegalStateException("ended");
		}

	}

}
