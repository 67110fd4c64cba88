package io.holdfast.quorum;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksApplication;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whether passwords of nodes are told anywhere. All that there are here have "hush" in
 * them.
 */
@Tag("any-jdk")
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class QuorumSecretsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--requirepass", "hush-default");

	private static final String NODES = "redis://me:hush-mine@127.0.0.1:" + redis.port()
			+ ",redis://:hush-default@localhost:" + redis.port() + "/1";

	private static final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastHealthContributorAutoConfiguration.class, QuorumAutoConfiguration.class))
		.withPropertyValues("holdfast.redis.node-timeout=5s", "holdfast.wait-for=30s");

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
		try (LocksApplication application = LocksApplication.start("shop", "holdfast.redis.nodes=" + NODES,
				"holdfast.redis.quorum=all", "holdfast.redis.node-timeout=5s", "logging.level.io.holdfast=trace",
				"management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always")) {
			LockHandle lock = application.template().acquire("held");
			Stream.of("locks", "locks?scope=cluster", "health/locks", "configprops", "env")
				.forEach((path) -> assertThat(application.getOther(path)).as(path)
					.satisfies((answer) -> assertThat(answer.status()).isEqualTo(200))
					.satisfies((answer) -> assertThat(answer.body()).isNotEmpty().doesNotContain("hush")));
			assertThat(application.getOther("configprops").body()).contains("\"nodes\":");
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		assertThat(output.getAll()).contains("io.holdfast").doesNotContain("hush");
	}

	@Test
	void areNotToldWhenNodesRefuseThem(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("holdfast.redis.quorum=all",
					"holdfast.redis.nodes=" + NODES.replace("hush-mine", "hush-wrong"))
			.run(QuorumSecretsTests::isRefused);
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
	void areNotToldWhenAnApplicationCannotStart(String properties, CapturedOutput output) {
		this.contextRunner.withPropertyValues(properties.split(",")).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
			assertThat(analysis.getDescription() + analysis.getAction()).contains("holdfast.").doesNotContain("hush");
			assertThat(trace(context.getStartupFailure())).doesNotContain("hush");
		});
		assertThat(output.getAll()).doesNotContain("hush");
	}

	@Test
	void areNotToldWhenTheyOpenNoKeyStore(@TempDir Path directory, CapturedOutput output) throws Exception {
		this.contextRunner
			.withPropertyValues("spring.ssl.bundle.jks.redis.truststore.location=" + keyStore(directory),
					"spring.ssl.bundle.jks.redis.truststore.type=PKCS12",
					"spring.ssl.bundle.jks.redis.truststore.password=hush-wrong", "holdfast.redis.ssl.bundle=redis",
					"holdfast.redis.nodes=rediss://:hush@a,rediss://:hush@b,rediss://:hush@c")
			.run((context) -> assertThat(trace(context.getStartupFailure())).contains("store.p12")
				.doesNotContain("hush"));
		assertThat(output.getAll()).doesNotContain("hush");
	}

	private static Path keyStore(Path directory) throws IOException, GeneralSecurityException {
		Path file = directory.resolve("store.p12");
		KeyStore store = KeyStore.getInstance("PKCS12");
		store.load(null, null);
		try (OutputStream output = Files.newOutputStream(file)) {
			store.store(output, "hush-right".toCharArray());
		}
		return file;
	}

	private static String trace(Throwable failure) {
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		return trace.toString();
	}

}
