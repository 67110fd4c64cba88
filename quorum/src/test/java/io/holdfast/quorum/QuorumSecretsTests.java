package io.holdfast.quorum;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

import io.holdfast.actuate.AbstractSecretsTests;
import io.holdfast.actuate.LocksApplication;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Passwords of nodes.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumSecretsTests extends AbstractSecretsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--requirepass", "hush-default");

	private static final String NODES = "holdfast.redis.nodes=redis://me:hush-mine@127.0.0.1:" + redis.port()
			+ ",redis://:hush-default@localhost:" + redis.port() + "/1";

	QuorumSecretsTests() {
		super(redis, new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, HoldfastAutoConfiguration.class,
					HoldfastHealthContributorAutoConfiguration.class, QuorumAutoConfiguration.class))
			.withPropertyValues("holdfast.redis.node-timeout=5s", "holdfast.wait-for=30s"), NODES,
				"holdfast.redis.quorum=all", "holdfast.redis.node-timeout=5s");
	}

	@Override
	protected void look(LocksApplication application) {
		assertThat(application.getOther("configprops").body()).contains("\"nodes\":");
	}

	@Test
	void areNotToldWhenNodesRefuseThem(CapturedOutput output) {
		areNotToldWhenTheyAreRefused(output, "holdfast.redis.quorum=all", NODES.replace("hush-mine", "hush-wrong"));
	}

	@Test
	void areNotToldWhenTheyOpenNoKeyStore(@TempDir Path directory, CapturedOutput output) throws Exception {
		contextRunner()
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

}
