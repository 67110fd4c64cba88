package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.TestServer;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * Connections that only locks use.
 */
@Tag("any-jdk")
@Tag("slow")
class ReservedConnectionsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
				"spring.data.redis.jedis.pool.max-active=2", "spring.data.redis.timeout=20s", "holdfast.lease=6s",
				"holdfast.wait-for=30s", "holdfast.announce=false");

	@Test
	void listeningTakesNoConnectionOfTheApplication() {
		ApplicationContextRunner lone = this.contextRunner
			.withPropertyValues("spring.data.redis.jedis.pool.max-active=1", "spring.data.redis.timeout=2s");
		lone.run((one) -> lone.run((two) -> {
			LockHandle held = one.getBean(LockTemplate.class).acquire("k");
			CompletableFuture<LockHandle> waiter = Threads.start(
					() -> two.getBean(LockTemplate.class).acquire(LockRequest.of("k").waitFor(Duration.ofSeconds(30))));
			await().until(() -> two.getBean(LockStore.class).subscription() == LockStore.Subscription.ACTIVE);
			two.getBean(StringRedisTemplate.class).opsForValue().set("business", "works");
			held.release();
			assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
		}));
	}

	@Test
	void areAtMostSoManyAsConfigured() {
		this.contextRunner
			.withPropertyValues("holdfast.redis.pool.max-active=3", "spring.data.redis.client-name=reserved-test")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				List<CompletableFuture<ReleaseResult>> users = new ArrayList<>();
				for (int i = 0; i < 20; i++) {
					String key = "k" + i;
					users.add(Threads.start(() -> template.acquire(key).release()));
				}
				users.forEach((user) -> assertThat(Threads.join(user)).isEqualTo(ReleaseResult.RELEASED));
				assertThat(clients("reserved-test")).isBetween(1L, 3L);
			});
		await().until(() -> clients("reserved-test") == 0);
	}

	/**
	 * Connects before a lock is asked for: the time that it takes to load Lettuce counts
	 * against the lease.
	 */
	@Test
	void oneOfLettuceStopsAndStartsWithTheApplications() {
		this.contextRunner
			.withPropertyValues("spring.data.redis.client-type=lettuce",
					"spring.data.redis.client-name=reserved-lettuce")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThat(context.getBean(LockStore.class).check().failure()).isNull();
				assertThat(template.acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(context.getBean(LockConnectionFactory.class).isRunning()).isTrue();
				// one for requests, and the subscription
				await().until(() -> clients("reserved-lettuce") == 2);
				context.stop();
				await().until(() -> clients("reserved-lettuce") == 0);
				context.start();
				assertThat(template.acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
			});
		await().until(() -> clients("reserved-lettuce") == 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void endLeavesNoThread(String client) {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.contextRunner.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.timeout=2s")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockHandle held = template.acquire("k");
				CompletableFuture<ReleaseResult> waiter = Threads
					.start(() -> template.acquire(LockRequest.of("k").waitFor(Duration.ofSeconds(30))).release());
				await().until(() -> context.getBean(LockStore.class).subscription() == LockStore.Subscription.ACTIVE);
				held.release();
				assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
				assertThat(
						template.executeAsync(LockRequest.of("k"), (lock) -> CompletableFuture.completedStage("done")))
					.succeedsWithin(Duration.ofSeconds(30));
			});
		await().untilAsserted(
				() -> assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
					.extracting(Thread::getName)
					.noneMatch((name) -> name.startsWith("lettuce-") || name.startsWith("holdfast-")));
	}

	private static long clients(String name) {
		try (Jedis jedis = redis.connect()) {
			return jedis.clientList().lines().filter((line) -> line.contains(" name=" + name + " ")).count();
		}
	}

	@Test
	void areMadeWhenSentinelsAnswerAgain() {
		try (RedisSentinels servers = started(RedisSentinels.patient())) {
			JedisConnectionFactory application = (JedisConnectionFactory) Client.JEDIS.connect(servers);
			LockConnectionFactory own = LockClient.connectionsLike(application, 3);
			servers.sentinels().forEach(RedisProcess::freeze);
			assertThatException().isThrownBy(own::getConnection);
			servers.sentinels().forEach(RedisProcess::unfreeze);
			byte[] key = put(application);
			await().ignoreExceptions().untilAsserted(() -> assertThat(get(own, key)).isEqualTo("value".getBytes()));
			own.stop();
			application.destroy();
		}
	}

	private static <S extends TestServer> S started(S server) {
		server.start();
		return server;
	}

	private static byte[] put(RedisConnectionFactory factory) {
		byte[] key = "reserved".getBytes();
		try (RedisConnection connection = factory.getConnection()) {
			connection.stringCommands().set(key, "value".getBytes());
			return key;
		}
	}

	private static byte[] get(RedisConnectionFactory factory, byte[] key) {
		try (RedisConnection connection = factory.getConnection()) {
			return connection.stringCommands().get(key);
		}
	}

	/**
	 * Whoever asks for connections by type gets the application's.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void areNoCandidatesForAutowiring(String client) {
		this.contextRunner.withPropertyValues("spring.data.redis.client-type=" + client)
			.withBean(Autowired.class)
			.run((context) -> {
				assertThat(context.getBeanProvider(LockConnectionFactory.class).stream()).hasSize(1);
				assertThat(context.getBean(Autowired.class).factories)
					.containsExactly(context.getBean("redisConnectionFactory", RedisConnectionFactory.class));
			});
	}

	@Test
	void areThoseOfTheApplicationWhenItConnectsInItsOwnWay() {
		JedisConnectionFactory special = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port())) {
		};
		assertThat(LockClient.connectionsLike(special, 3)).isNull();
	}

	@Test
	void noReplicasCanBeWaitedForOverThoseOfTheApplication() {
		this.contextRunner.withPropertyValues("holdfast.redis.replica-acks=1")
			.withBean(JedisConnectionFactory.class, () -> new JedisConnectionFactory() {
			})
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("holdfast.redis.replica-acks")
				.hasStackTraceContaining("not a subclass of your own"));
	}

	private static final class Autowired {

		private final List<RedisConnectionFactory> factories;

		private Autowired(List<RedisConnectionFactory> factories) {
			this.factories = factories;
		}

	}

}
