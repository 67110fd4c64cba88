package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Passwords of one Redis.
 */
@Tag("any-jdk")
@Tag("slow")
class SecretsTests extends AbstractSecretsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--requirepass", "hush-default");

	private static final String URL = "spring.data.redis.url=redis://me:hush-mine@127.0.0.1:" + redis.port();

	SecretsTests() {
		super(redis, new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					HoldfastAutoConfiguration.class, HoldfastHealthContributorAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=" + redis.port(), "holdfast.wait-for=30s"), URL,
				"spring.data.redis.password=hush-mine");
	}

	@Override
	protected void look(LocksApplication application) {
		assertAnswersWithoutSecrets(application, "health");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void areNotToldByWhatUsesThem(String client, CapturedOutput output) {
		contextRunner().withPropertyValues("spring.data.redis.client-type=" + client, URL).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockHandle lock = template.acquire("held");
			waitInVain(context);
			assertThat(ours(context)).isNotEmpty().noneMatch((bean) -> bean.contains("hush"));
			assertThat(lock.toString()).doesNotContain("hush");
			assertThat(context.getBean(LockRegistry.class).held()).hasSize(1)
				.noneMatch((held) -> held.toString().contains("hush"));
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		});
		assertThat(output.getAll()).contains("TRACE").doesNotContain("hush");
	}

	/**
	 * Have a caller wait in Redis until the instance listens.
	 */
	private static void waitInVain(ApplicationContext context) {
		CompletableFuture<LockHandle> waiter = Threads.start(() -> context.getBean(LockTemplate.class)
			.acquire(LockRequest.of("held").fair().waitFor(Duration.ofSeconds(30))));
		await().until(() -> context.getBean(LockStore.class).subscription() == LockStore.Subscription.ACTIVE);
		waiter.cancel(true);
	}

	private static List<String> ours(ApplicationContext context) {
		return Stream.of(context.getBeanDefinitionNames())
			.map(context::getBean)
			.filter((bean) -> bean.getClass().getName().startsWith("io.holdfast."))
			.map(Object::toString)
			.toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.client-type=jedis,spring.data.redis.password=hush-wrong",
			"spring.data.redis.client-type=lettuce,spring.data.redis.password=hush-wrong",
			"spring.data.redis.client-type=jedis,spring.data.redis.username=me,spring.data.redis.password=hush-wrong" })
	void areNotToldWhenRedisRefusesThem(String properties, CapturedOutput output) {
		areNotToldWhenTheyAreRefused(output, properties.split(","));
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast.redis.nodes=redis://:hush@a,holdfast.wait-for=-2s",
			"holdfast.redis.nodes=redis://:hush@a" })
	void areNotToldWhenAnApplicationHasNoModuleForNodes(String properties, CapturedOutput output) {
		areNotToldWhenAnApplicationCannotStart(properties, output);
	}

}
