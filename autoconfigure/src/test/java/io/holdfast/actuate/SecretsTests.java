package io.holdfast.actuate;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whether passwords are told anywhere. All that there are here have "hush" in them.
 */
@Tag("any-jdk")
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class SecretsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--requirepass", "hush-default");

	private static final String LOGIN = "me:hush-mine@127.0.0.1:" + redis.port();

	private static final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
				HoldfastAutoConfiguration.class, HoldfastHealthContributorAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + redis.port(), "holdfast.wait-for=30s");

	@BeforeEach
	void logAll() {
		logger.setLevel(Level.TRACE);
		try (Jedis jedis = redis.connect()) {
			jedis.auth("hush-default");
			jedis.aclSetUser("me", "on", ">hush-mine", "allkeys", "allchannels", "allcommands");
		}
	}

	@AfterEach
	void logAsBefore() {
		logger.setLevel(null);
	}

	@Test
	void areNotToldByEndpoints(CapturedOutput output) {
		try (LocksApplication application = LocksApplication.start("shop", "spring.data.redis.url=redis://" + LOGIN,
				"spring.data.redis.password=hush-mine", "logging.level.io.holdfast=trace",
				"management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always")) {
			LockHandle lock = application.template().acquire("held");
			Stream.of("locks", "locks?scope=cluster", "health", "configprops", "env")
				.forEach((path) -> assertThat(application.getOther(path)).as(path)
					.satisfies((answer) -> assertThat(answer.status()).isEqualTo(200))
					.satisfies((answer) -> assertThat(answer.body()).isNotEmpty().doesNotContain("hush")));
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(output.getAll()).contains("io.holdfast").doesNotContain("hush");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void areNotToldByWhatUsesThem(String client, CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.url=redis://" + LOGIN)
			.run((context) -> {
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
		this.contextRunner.withPropertyValues(properties.split(",")).run(SecretsTests::isRefused);
		assertThat(output.getAll()).doesNotContain("hush");
	}

	/**
	 * A connection that is closed after the refusal may be told as closed.
	 */
	private static void isRefused(ApplicationContext context) {
		await().untilAsserted(() -> {
			LockUnavailableException failure = catchThrowableOfType(LockUnavailableException.class,
					() -> context.getBean(LockTemplate.class).acquire("k"));
			assertThat(trace(failure)).doesNotContain("hush");
			assertThat(failure.getMessage()).contains("WRONGPASS");
		});
		await().untilAsserted(() -> {
			Health health = context.getBean(LocksHealthIndicator.class).health();
			assertThat(health.getDetails().toString()).doesNotContain("hush").contains("WRONGPASS");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast.redis.nodes[0]=redis://:hush@a,holdfast.redis.nodes[2]=redis://:hush@c",
			"holdfast.redis.nodes=redis://:hush@a,holdfast.lease=soon",
			"holdfast.redis.nodes=redis://:hush@a,holdfast.wait-for=-2s",
			"holdfast.redis.nodes=redis://:hush@a,holdfast.store=local", "holdfast.redis.nodes=redis://:hush@a" })
	void areNotToldWhenAnApplicationCannotStart(String properties, CapturedOutput output) {
		this.contextRunner.withPropertyValues(properties.split(","))
			.run((context) -> doesNotStart(context.getStartupFailure(), "holdfast."));
		assertThat(output.getAll()).doesNotContain("hush");
	}

	private static void doesNotStart(Throwable failure, String reason) {
		FailureAnalysis analysis = FailureAnalyses.of(failure);
		assertThat(analysis.getDescription() + analysis.getAction()).contains(reason).doesNotContain("hush");
		assertThat(trace(failure)).doesNotContain("hush");
	}

	private static String trace(Throwable failure) {
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		return trace.toString();
	}

}
