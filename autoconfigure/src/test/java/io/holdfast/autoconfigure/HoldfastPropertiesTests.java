package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.ReleaseResult;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.engine.Claims;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What properties do.
 */
@Tag("any-jdk")
class HoldfastPropertiesTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastHealthContributorAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
				"holdfast.wait-for=30s");

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
	@CsvSource({ "true,,fair,1", "false,,fair,0", "true,false,fair,0", "false,true,fair,1", "true,,fair other,0" })
	void waitersAreFairAsConfiguredUnlessTheRequestSaysOtherwise(boolean configured, @Nullable Boolean requested,
			String keys, long fairWaiters) {
		this.contextRunner.withPropertyValues("holdfast.fair=" + configured).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest asked = LockRequest.of(keys.split(" "));
			LockRequest request = (requested != null) ? asked.fair(requested) : asked;
			RedisLockStore other = new RedisLockStore(context.getBean(RedisConnectionFactory.class), "holdfast",
					Duration.ofHours(1), ReplicaAcks.NONE);
			LockStore.Granted held = (LockStore.Granted) other
				.acquire(Claims.exclusive("fair", "other:1", Duration.ofSeconds(30), 0, null));
			CompletableFuture<LockHandle> waiter = Threads.start(() -> template.acquire(request.ownedByHandle()));
			try (Jedis jedis = redis.connect()) {
				await().until(() -> jedis.zcard("holdfast:{fair}:queue") == 1);
				assertThat(jedis.zcard("holdfast:{fair}:fair")).isEqualTo(fairWaiters);
			}
			other.release(new LockStore.HoldId("other:1", held.grants()));
			Threads.join(waiter).release();
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
	void engineIsSetUpAsConfigured() {
		HoldfastProperties properties = new Binder(new MapConfigurationPropertySource(Map.of("holdfast.lease", "7s",
				"holdfast.wait-for", "2s", "holdfast.auto-renew", "false", "holdfast.max-hold", "3s",
				"holdfast.local-handoffs", "4", "holdfast.handover-check", "5ms", "holdfast.on-lost", "interrupt")))
			.bindOrCreate("holdfast", HoldfastProperties.class);
		EngineSettings settings = properties.toEngineSettings("shop");
		assertThat(settings)
			.isEqualTo(new EngineSettings(settings.instanceIds(), Duration.ofSeconds(7), Duration.ofSeconds(2), false,
					Duration.ofSeconds(3), false, OnLost.INTERRUPT, 4, Duration.ofMillis(5), null, null));
		assertThat(settings.instanceIds().get()).startsWith("shop@");
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
	@CsvSource({ "jedis, holdfast.lease", "jedis, spring.data.redis.timeout", "lettuce, spring.data.redis.timeout" })
	void replicasAreWaitedForForLessThanTheLeaseAndForAnAnswer(String client, String property) {
		ApplicationContextRunner same = this.contextRunner.withPropertyValues("spring.data.redis.client-type=" + client,
				property + "=1s", "holdfast.redis.replica-ack-timeout=1s");
		FailureAnalyses.assertThatStartFails(same.withPropertyValues("holdfast.redis.replica-acks=1"),
				(analysis) -> assertThat(analysis.getDescription()).contains("holdfast.redis.replica-ack-timeout",
						"'" + property + "', which is PT1S"));
		same.run((context) -> assertThat(context).hasNotFailed());
	}

}
