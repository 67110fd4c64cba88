package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.HoldfastRedis;
import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In which Redis locks are, where an application has several.
 */
@Tag("any-jdk")
class LockRedisTests {

	private static final String PROPERTY = "holdfast.redis.connection-factory";

	private static final String TIMEOUT_WARNING = "One request that Redis does not answer may lose locks";

	@RegisterExtension
	static final RedisProcess ofApplication = new RedisProcess();

	@RegisterExtension
	static final RedisProcess ofLocks = new RedisProcess();

	private static final String[] PLACE = { "locks.redis.host=127.0.0.1", "locks.redis.port=" + ofLocks.port() };

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastHealthContributorAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + ofApplication.port(), "holdfast.wait-for=30s")
		.withPropertyValues(PLACE);

	@AfterEach
	void empty() {
		for (RedisProcess server : List.of(ofApplication, ofLocks)) {
			try (Jedis jedis = server.connect()) {
				jedis.flushAll();
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "jedis, lettuceOfLocks", "lettuce, jedisOfLocks" })
	void isNamedByTheProperty(String client, String name) {
		this.contextRunner.withUserConfiguration(TwoBesideBoots.class)
			.withPropertyValues("spring.data.redis.client-type=" + client, PROPERTY + "=" + name)
			.run(LockRedisTests::assertThatLocksAreOnTheirOwn);
	}

	@ParameterizedTest
	@ValueSource(classes = { MarkedJedis.class, MarkedLettuce.class, MarkedOfThree.class, MarkedClass.class,
			MarkedWithoutInjection.class, MarkedOfAnotherType.class, MarkedFactoryBean.class })
	void isMarkedByTheAnnotation(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration).run(LockRedisTests::assertThatLocksAreOnTheirOwn);
	}

	@Test
	void isMarkedWhereThePropertyIsEmpty() {
		this.contextRunner.withUserConfiguration(MarkedJedis.class)
			.withPropertyValues(PROPERTY + "=")
			.run(LockRedisTests::assertThatLocksAreOnTheirOwn);
	}

	@Test
	void isMarkedInTheParentContext() {
		new ApplicationContextRunner().withUserConfiguration(MarkedJedis.class)
			.withPropertyValues(PLACE)
			.run((parent) -> this.contextRunner.withParent(parent).run(LockRedisTests::assertThatLocksAreOnTheirOwn));
	}

	@Test
	void propertyOverridesTheAnnotation() {
		this.contextRunner.withUserConfiguration(MarkedOfThree.class, TwoBesideBoots.class)
			.withPropertyValues(PROPERTY + "=jedisOfLocks")
			.run(LockRedisTests::assertThatLocksAreOnTheirOwn);
	}

	/**
	 * A bean that is no default candidate is not asked for by its type alone.
	 */
	@Test
	void isTheOneOfTheApplicationUnlessAnotherIsChosen() {
		this.contextRunner.withUserConfiguration(TwoBesideBoots.class).run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire("k")) {
				assertThat(keys(ofApplication)).contains("holdfast:{k}");
				assertThat(lock.isHeld()).isTrue();
			}
		});
		assertThat(keys(ofLocks)).isEmpty();
	}

	@Test
	void needsNoneOfTheApplicationsServers() {
		RedisProcess absent = new RedisProcess();
		this.contextRunner.withUserConfiguration(MarkedJedis.class)
			.withPropertyValues("spring.data.redis.port=" + absent.port())
			.run(LockRedisTests::assertThatLocksWork);
	}

	@Test
	void propertyIsForAConnectionFactoryThatThereIs() {
		assertRefused(
				this.contextRunner.withUserConfiguration(TwoBesideBoots.class).withPropertyValues(PROPERTY + "=absent"),
				PROPERTY, "jedisOfLocks, lettuceOfLocks, redisConnectionFactory");
		assertRefused(
				new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
					.withPropertyValues(PROPERTY + "=absent"),
				PROPERTY, "none");
		assertRefused(this.contextRunner.withPropertyValues(PROPERTY + "=stringRedisTemplate"), PROPERTY,
				StringRedisTemplate.class.getName());
	}

	@Test
	void annotationIsForOneConnectionFactory() {
		assertRefused(this.contextRunner.withUserConfiguration(MarkedJedis.class, MarkedLettuce.class),
				"@HoldfastRedis", "lettuceOfLocks, redisOfLocks");
		assertRefused(this.contextRunner.withUserConfiguration(MarkedTemplate.class), "@HoldfastRedis",
				"templateOfLocks");
	}

	private static void assertRefused(ApplicationContextRunner runner, String... words) {
		assertThat(FailureAnalyses.of(runner).getDescription()).contains(words);
	}

	@Test
	void timeoutOfTheOneForLocksIsNotCalledThatOfTheApplication() {
		try (RecordedLog log = new RecordedLog()) {
			this.contextRunner.withUserConfiguration(MarkedLettuce.class)
				.withPropertyValues("spring.data.redis.timeout=1h", "holdfast.lease=4s")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines(TIMEOUT_WARNING)).singleElement()
				.satisfies((line) -> assertThat(line.text()).contains("the RedisConnectionFactory for locks (3000 ms,")
					.doesNotContain("spring.data.redis"));
		}
	}

	@Test
	void staticReplicasOfTheApplicationDoNotMatter() {
		this.contextRunner.withUserConfiguration(MarkedLettuce.class)
			.withPropertyValues("spring.data.redis.client-type=lettuce",
					"spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
			.run(LockRedisTests::assertThatLocksWork);
	}

	private static void assertThatLocksAreOnTheirOwn(AssertableApplicationContext context) {
		assertThatLocksWork(context);
		assertThat(keys(ofApplication)).isEmpty();
	}

	private static void assertThatLocksWork(AssertableApplicationContext context) {
		try (LockHandle lock = context.getBean(LockTemplate.class).acquire("k")) {
			assertThat(keys(ofLocks)).contains("holdfast:{k}");
			LockOperations operations = context.getBean(HoldfastLockRegistry.class).operations();
			assertThat(operations.view().look(List.of("k"))).extracting(KeyState::key).containsExactly("k");
			assertThat(context.getBean(LocksHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
			assertThat(lock.isHeld()).isTrue();
			assertThat(operations.forceRelease("k", null, Duration.ofSeconds(20)).isReleased()).isTrue();
			assertThat(keys(ofLocks)).doesNotContain("holdfast:{k}");
		}
	}

	private static Set<String> keys(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			return jedis.keys("*");
		}
	}

	private static JedisConnectionFactory jedis(RedisProcess server) {
		return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()));
	}

	private static LettuceConnectionFactory lettuce(RedisProcess server) {
		return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(3)).build());
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoBesideBoots {

		@Bean(defaultCandidate = false)
		JedisConnectionFactory jedisOfLocks() {
			return jedis(ofLocks);
		}

		@Bean(defaultCandidate = false)
		RedisConnectionFactory lettuceOfLocks() {
			return lettuce(ofLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedJedis {

		// snippet: redis-of-locks
		@Bean(defaultCandidate = false)
		@HoldfastRedis
		JedisConnectionFactory redisOfLocks(@Value("${locks.redis.host}") String host,
				@Value("${locks.redis.port}") int port) {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
		}
		// end

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedLettuce {

		@Bean(defaultCandidate = false)
		@HoldfastRedis
		LettuceConnectionFactory lettuceOfLocks() {
			return lettuce(ofLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedOfThree {

		@Bean
		RedisConnectionFactory sessions() {
			return jedis(ofApplication);
		}

		@Bean
		RedisConnectionFactory cache() {
			return lettuce(ofApplication);
		}

		@Bean
		@HoldfastRedis
		RedisConnectionFactory locks() {
			return jedis(ofLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedClass {

		@Bean
		@Primary
		RedisConnectionFactory jedisOfApplication() {
			return jedis(ofApplication);
		}

		@Bean
		FactoryOfLocks redisOfLocks() {
			return new FactoryOfLocks();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedWithoutInjection {

		@Bean(autowireCandidate = false)
		@HoldfastRedis
		RedisConnectionFactory redisOfLocks() {
			return lettuce(ofLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedOfAnotherType {

		@Bean(defaultCandidate = false)
		@Lazy
		@Qualifier("locks")
		@HoldfastRedis
		Object redisOfLocks() {
			return jedis(ofLocks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedFactoryBean {

		@Bean(defaultCandidate = false)
		@HoldfastRedis
		FactoryBean<?> redisOfLocks() {
			JedisConnectionFactory made = jedis(ofLocks);
			made.afterPropertiesSet();
			made.start();
			return new FactoryBean<RedisConnectionFactory>() {
				@Override
				public RedisConnectionFactory getObject() {
					return made;
				}

				@Override
				public Class<?> getObjectType() {
					return RedisConnectionFactory.class;
				}
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedTemplate {

		@Bean
		@HoldfastRedis
		StringRedisTemplate templateOfLocks(RedisConnectionFactory connections) {
			return new StringRedisTemplate(connections);
		}

	}

	@HoldfastRedis
	static class FactoryOfLocks extends JedisConnectionFactory {

		FactoryOfLocks() {
			super(new RedisStandaloneConfiguration("127.0.0.1", ofLocks.port()));
		}

	}

}
