package io.holdfast.quorum;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.test.Certificates;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.TlsProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nodes that are reached by TLS, set up by one of Spring Boot's SSL bundles.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumTlsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static Certificates certificates;

	private final List<TlsProxy> proxies = new ArrayList<>();

	@BeforeAll
	static void makeCertificates(@TempDir Path directory) throws Exception {
		certificates = new Certificates(directory,
				Map.of("server", "dns:localhost,ip:127.0.0.1", "elsewhere", "dns:elsewhere.test"));
	}

	@AfterEach
	void closeProxies() {
		this.proxies.forEach(TlsProxy::close);
	}

	private TlsProxy proxy(String certificate, String... clients) throws Exception {
		TlsProxy proxy = new TlsProxy(RedisProcess.freePort(), redis.port(), certificates, certificate, clients);
		this.proxies.add(proxy);
		return proxy;
	}

	private static ApplicationContextRunner trusting(String... names) throws Exception {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, HoldfastAutoConfiguration.class,
					QuorumAutoConfiguration.class))
			.withPropertyValues("spring.ssl.bundle.jks.redis.truststore.location=" + certificates.trustStore(names),
					"spring.ssl.bundle.jks.redis.truststore.type=PKCS12",
					"spring.ssl.bundle.jks.redis.truststore.password=" + Certificates.PASSWORD, "holdfast.lease=10m",
					"holdfast.wait-for=20s", "holdfast.redis.ssl.bundle=redis");
	}

	/**
	 * Two databases of one server stand for two.
	 */
	private static ApplicationContextRunner withNodes(ApplicationContextRunner application, String hidden, TlsProxy one,
			TlsProxy two) {
		return application.withClassLoader(new FilteredClassLoader(hidden))
			.withPropertyValues("holdfast.redis.nodes=rediss://localhost:" + one.port() + ",rediss://localhost:"
					+ two.port() + "/1", "holdfast.redis.quorum=all", "holdfast.redis.node-timeout=20s");
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "redis.clients.jedis" })
	void nodesAreReachedByIt(String hidden) throws Exception {
		ApplicationContextRunner application = trusting("server").withPropertyValues(
				"spring.ssl.bundle.jks.redis.keystore.location=" + certificates.keyStore("elsewhere"),
				"spring.ssl.bundle.jks.redis.keystore.type=PKCS12",
				"spring.ssl.bundle.jks.redis.keystore.password=" + Certificates.PASSWORD);
		TlsProxy one = proxy("server", "elsewhere");
		TlsProxy two = proxy("server", "elsewhere");
		withNodes(application, hidden, one, two).run((context) -> {
			assertThat(context.getBean(LockTemplate.class).acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(one.handshakes()).isPositive();
			assertThat(two.handshakes()).isPositive();
		});
	}

	/**
	 * Soon, not at once: a caller may still wait for an attempt to connect that does not
	 * know it.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "none", "redis.clients.jedis" })
	void bundleThatIsReloadedIsFollowed(String hidden) throws Exception {
		TlsProxy one = proxy("server");
		TlsProxy two = proxy("server");
		withNodes(trusting("elsewhere"), hidden, one, two).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			LockRequest oneTry = LockRequest.of("k").waitFor(Duration.ZERO);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(oneTry));
			context.getBean(SslBundleRegistry.class).updateBundle("redis", trustingOnly("server"));
			await().ignoreException(LockUnavailableException.class)
				.until(() -> locks.acquire("k").release(), ReleaseResult.RELEASED::equals);
		});
	}

	private static SslBundle trustingOnly(String name) throws Exception {
		JksSslStoreDetails trusted = new JksSslStoreDetails("PKCS12", null, certificates.trustStore(name).toString(),
				Certificates.PASSWORD);
		return SslBundle.of(new JksSslStoreBundle(null, trusted));
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "redis.clients.jedis" })
	void nodeWithTheNameOfAnotherIsRefused(String hidden) throws Exception {
		withNodes(trusting("server", "elsewhere"), hidden, proxy("server"), proxy("elsewhere"))
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContaining("'k'")
				.withMessageContaining("No subject alternative DNS name matching localhost"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "rediss://a,redis://b,rediss://c | redis | each must be a rediss:// URL",
			"rediss://a,rediss://b,rediss://c | radish | There is no SSL bundle of that name" })
	void bundleMustFit(String nodes, String bundle, String reason) throws Exception {
		trusting("server").withPropertyValues("holdfast.redis.ssl.bundle=" + bundle, "holdfast.redis.nodes=" + nodes)
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains(reason)
				.containsAnyOf("holdfast.redis.ssl.bundle", "holdfast.redis.nodes"));
	}

}
