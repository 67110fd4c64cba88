package io.holdfast.adapters;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastIntegrationAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.test.PatientAwaits;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.integration.autoconfigure.IntegrationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Components of Spring Integration that lock, in two applications on one Redis.
 */
@Tag("slow")
@ExtendWith(PatientAwaits.class)
class IntegrationTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastIntegrationAutoConfiguration.class, IntegrationAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + redis.port(), "holdfast.lease=5m", "holdfast.shutdown-grace=0");

	private final ApplicationContextRunner leaders = this.contextRunner.withUserConfiguration(Leaders.class);

	@Test
	void leaderThatStopsIsFollowedAtOnceWithAGreaterToken() {
		this.leaders.run((one) -> {
			Reports first = leading(one);
			this.leaders.run((other) -> {
				await().until(() -> other.getBean(HoldfastLockRegistry.class).status().waiting() == 1);
				assertThat(other.getBean(Reports.class).tokens).isEmpty();
				one.getBean(LockRegistryLeaderInitiator.class).stop();
				assertThat(leading(other).tokens.get(0)).isGreaterThan(first.tokens.get(0));
				// a leader gives up its lock before it is revoked
				await().until(() -> first.revocations.get() == 1);
			});
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leaderThatHasLostItsLockOrCannotAskIsRevoked(boolean lost) {
		this.leaders.withPropertyValues("spring.data.redis.timeout=500ms").run((context) -> {
			Reports leader = leading(context);
			if (lost) {
				try (Jedis jedis = redis.connect()) {
					jedis.del("holdfast:{integration:reports}");
				}
				await().until(() -> leader.revocations.get() > 0);
			}
			else {
				redis.freeze();
				try {
					await().until(() -> leader.revocations.get() > 0);
				}
				finally {
					redis.unfreeze();
				}
			}
			await().until(() -> leader.tokens.size() > 1);
			assertThat(leader.tokens.get(1)).isGreaterThan(leader.tokens.get(0));
		});
	}

	private static Reports leading(ApplicationContext context) {
		Reports leader = context.getBean(Reports.class);
		await().until(() -> !leader.tokens.isEmpty());
		return leader;
	}

	@Test
	void aggregatorsOfTwoApplicationsReleaseTheirGroupOnce() {
		SimpleMessageStore store = new SimpleMessageStore();
		List<Object> released = new CopyOnWriteArrayList<>();
		ApplicationContextRunner aggregators = this.contextRunner.withUserConfiguration(Aggregators.class)
			.withBean(MessageGroupStore.class, () -> store)
			.withBean("released", List.class, () -> released);
		aggregators.run((one) -> aggregators.run((other) -> {
			var sending = Threads.start(() -> send(one));
			assertThat(send(other) + Threads.join(sending)).isEqualTo(100);
			assertThat(released).singleElement().satisfies((group) -> assertThat((Collection<?>) group).hasSize(100));
		}));
	}

	private static int send(ApplicationContext context) {
		MessageChannel input = context.getBean("aggregation.input", MessageChannel.class);
		return IntStream.range(0, 50).map((i) -> input.send(new GenericMessage<>(i)) ? 1 : 0).sum();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Reports.class)
	static class Leaders {

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(IntegrationLockRegistry registry, Reports reports) {
			return new LockRegistryLeaderInitiator(registry, reports);
		}

	}

	static class Reports extends AbstractCandidate {

		private final IntegrationLockRegistry registry;

		private final List<Long> tokens = new CopyOnWriteArrayList<>();

		private final AtomicInteger revocations = new AtomicInteger();

		Reports(IntegrationLockRegistry registry) {
			super("an instance", "reports");
			this.registry = registry;
		}

		@Override
		public void onGranted(Context context) {
			this.tokens.add(this.registry.obtain(context.getRole()).fencingToken());
		}

		@Override
		public void onRevoked(Context context) {
			this.revocations.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Aggregators {

		@Bean
		IntegrationFlow aggregation(LockRegistry<?> registry, MessageGroupStore store, List<Object> released) {
			return (flow) -> flow
				.aggregate((aggregator) -> aggregator.lockRegistry(registry)
					.messageStore(store)
					.correlationExpression("'group'")
					.releaseStrategy((group) -> group.size() == 100)
					.expireGroupsUponCompletion(true))
				.handle((message) -> released.add(message.getPayload()));
		}

	}

}
