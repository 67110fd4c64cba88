package io.holdfast.actuate;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

import org.springframework.boot.diagnostics.FailureAnalysis;
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
@ExtendWith(OutputCaptureExtension.class)
public abstract class AbstractSecretsTests {

	private static final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	private final RedisProcess redis;

	private final ApplicationContextRunner contextRunner;

	private final List<String> login;

	/**
	 * Create the tests.
	 * @param redis where the default user has the password {@code hush-default}
	 * @param contextRunner applications that do not log in yet
	 * @param login properties of an application that logs in as the user {@code me}
	 */
	protected AbstractSecretsTests(RedisProcess redis, ApplicationContextRunner contextRunner, String... login) {
		this.redis = redis;
		this.contextRunner = contextRunner;
		this.login = List.of(login);
	}

	protected final ApplicationContextRunner contextRunner() {
		return this.contextRunner;
	}

	@BeforeEach
	void logAll() {
		logger.setLevel(Level.TRACE);
		try (Jedis jedis = this.redis.connect()) {
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
		List<String> properties = new ArrayList<>(this.login);
		properties.addAll(List.of("logging.level.io.holdfast=trace", "management.endpoints.web.exposure.include=*",
				"management.endpoint.health.show-details=always"));
		try (LocksApplication application = LocksApplication.start("shop", properties.toArray(String[]::new))) {
			LockHandle lock = application.template().acquire("held");
			Stream.of("locks", "locks?scope=cluster", "health/locks", "configprops", "env")
				.forEach((path) -> assertAnswersWithoutSecrets(application, path));
			look(application);
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(output.getAll()).contains("io.holdfast").doesNotContain("hush");
	}

	/**
	 * Ask again where the machine was too slow for an answer in time.
	 */
	protected static void assertAnswersWithoutSecrets(LocksApplication application, String path) {
		Answer answer = await().until(() -> application.getOther(path), (each) -> each.status() == 200);
		assertThat(answer.body()).as(path).isNotEmpty().doesNotContain("hush");
	}

	/**
	 * Look at what only applications of this kind tell.
	 */
	protected abstract void look(LocksApplication application);

	protected final void areNotToldWhenTheyAreRefused(CapturedOutput output, String... properties) {
		this.contextRunner.withPropertyValues(properties).run(AbstractSecretsTests::isRefused);
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
		await().untilAsserted(
				() -> assertThat(context.getBean(LocksHealthIndicator.class).health().getDetails().toString())
					.doesNotContain("hush")
					.contains("WRONGPASS"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "holdfast.redis.nodes[0]=redis://:hush@a,holdfast.redis.nodes[2]=redis://:hush@c",
			"holdfast.redis.nodes=redis://:hush@a,holdfast.lease=soon",
			"holdfast.redis.nodes=redis://:hush@a,holdfast.store=local" })
	protected final void areNotToldWhenAnApplicationCannotStart(String properties, CapturedOutput output) {
		this.contextRunner.withPropertyValues(properties.split(",")).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
			assertThat(analysis.getDescription() + analysis.getAction()).contains("holdfast.").doesNotContain("hush");
			assertThat(trace(context.getStartupFailure())).doesNotContain("hush");
		});
		assertThat(output.getAll()).doesNotContain("hush");
	}

	protected static String trace(Throwable failure) {
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		return trace.toString();
	}

}
