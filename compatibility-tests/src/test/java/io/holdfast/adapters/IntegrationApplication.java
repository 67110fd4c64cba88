package io.holdfast.adapters;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;

import javax.sql.DataSource;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastIntegrationAutoConfiguration;
import io.holdfast.integration.IntegrationLockRegistry;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.integration.autoconfigure.IntegrationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.MessageCountReleaseStrategy;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.jdbc.store.JdbcMessageStore;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.GenericMessage;

/**
 * An application with components of Spring Integration that lock. It is told by lines
 * such as {@code aggregation.input one} which message to send.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		HoldfastAutoConfiguration.class, HoldfastIntegrationAutoConfiguration.class,
		IntegrationAutoConfiguration.class })
class IntegrationApplication {

	private static final String STUCK = "stuck";

	/**
	 * Start the application, which ends with its input.
	 * @param args its properties
	 */
	public static void main(String[] args) throws IOException {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(IntegrationApplication.class)
			.web(WebApplicationType.NONE)
			.run(args);
		System.out.println("@started");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
		String line;
		while ((line = input.readLine()) != null) {
			String[] words = line.split(" ");
			context.getBean(words[0], MessageChannel.class).send(new GenericMessage<>(words[1]));
		}
	}

	/**
	 * Is in the middle of its work until the process ends.
	 */
	private static void work(String payload) {
		System.out.println("@working " + payload);
		if (payload.equals(STUCK)) {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Bean
	JdbcMessageStore messageStore(DataSource dataSource) {
		return new JdbcMessageStore(dataSource);
	}

	@Bean
	IntegrationFlow aggregation(LockRegistry<?> registry, JdbcMessageStore store) {
		MessageCountReleaseStrategy four = new MessageCountReleaseStrategy(4);
		return (flow) -> flow.aggregate((aggregator) -> aggregator.lockRegistry(registry)
			.messageStore(store)
			.correlationExpression("'group'")
			.releaseStrategy((group) -> {
				work(String.valueOf(group.getMessages().stream().anyMatch((message) -> isStuck(message.getPayload()))
						&& group.size() == 3 ? STUCK : group.size()));
				return four.canRelease(group);
			})
			.expireGroupsUponCompletion(true))
			.handle((message) -> System.out.println("@released " + message.getPayload()));
	}

	private static boolean isStuck(Object payload) {
		return payload.equals(STUCK);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("leader")
	static class Leaders {

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(IntegrationLockRegistry registry) {
			return new LockRegistryLeaderInitiator(registry, new Reports(registry));
		}

	}

	/**
	 * Tells with which token it leads.
	 */
	static class Reports extends AbstractCandidate {

		private final IntegrationLockRegistry registry;

		Reports(IntegrationLockRegistry registry) {
			super("an instance", "reports");
			this.registry = registry;
		}

		@Override
		public void onGranted(Context context) {
			System.out.println("@granted " + this.registry.obtain(context.getRole()).fencingToken());
		}

		@Override
		public void onRevoked(Context context) {
			System.out.println("@revoked");
		}

	}

}
