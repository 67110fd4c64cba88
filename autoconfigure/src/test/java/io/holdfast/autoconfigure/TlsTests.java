package io.holdfast.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.net.ssl.SSLParameters;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore;
import io.holdfast.test.Certificates;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.Threads;
import io.holdfast.test.TlsProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks on a Redis that is reached by TLS, set up by Spring Boot's SSL bundles.
 */
@Tag("any-jdk")
@Tag("slow")
class TlsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	/**
	 * Where clients are told to find the only node of the Cluster.
	 */
	private static final int CLUSTER_PORT = RedisProcess.freePort();

	@RegisterExtension
	static final RedisProcess cluster = new RedisProcess("--cluster-enabled", "yes", "--cluster-announce-ip",
			"127.0.0.1", "--cluster-announce-port", Integer.toString(CLUSTER_PORT));

	/**
	 * Where clients are told to find the master.
	 */
	private static final int MASTER_PORT = RedisProcess.freePort();

	@RegisterExtension
	static final RedisProcess sentinel = RedisSentinels.telling(MASTER_PORT);

	private static Certificates certificates;

	private final List<TlsProxy> proxies = new ArrayList<>();

	@BeforeAll
	static void makeCertificates(@TempDir Path directory) throws Exception {
		certificates = new Certificates(directory, Map.of("server", "dns:localhost,ip:127.0.0.1", "renewed",
				"dns:localhost,ip:127.0.0.1", "elsewhere", "dns:elsewhere.test"));
	}

	@BeforeAll
	static void makeCluster() {
		try (Jedis jedis = cluster.connect()) {
			jedis.clusterAddSlots(IntStream.range(0, 16384).toArray());
		}
	}

	@AfterEach
	void closeProxies() {
		this.proxies.forEach(TlsProxy::close);
	}

	private TlsProxy proxy(String certificate, String... clients) throws Exception {
		return proxy(RedisProcess.freePort(), redis, certificate, clients);
	}

	private TlsProxy proxy(int port, RedisProcess server, String certificate, String... clients) throws Exception {
		TlsProxy proxy = new TlsProxy(port, server.port(), certificates, certificate, clients);
		this.proxies.add(proxy);
		return proxy;
	}

	/**
	 * An application that trusts all servers there are here, apart from other
	 * certificates.
	 */
	private static ApplicationContextRunner trusting(String... names) throws Exception {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					HoldfastAutoConfiguration.class, HoldfastHealthContributorAutoConfiguration.class))
			.withPropertyValues("spring.ssl.bundle.jks.redis.truststore.location=" + certificates.trustStore(names),
					"spring.ssl.bundle.jks.redis.truststore.type=PKCS12",
					"spring.ssl.bundle.jks.redis.truststore.password=" + Certificates.PASSWORD,
					"spring.data.redis.timeout=20s", "holdfast.lease=10m", "holdfast.wait-for=20s");
	}

	private static ApplicationContextRunner connected(ApplicationContextRunner application, String client,
			TlsProxy proxy) {
		return application.withPropertyValues("spring.data.redis.client-type=" + client,
				"spring.data.redis.host=localhost", "spring.data.redis.port=" + proxy.port(),
				"spring.data.redis.ssl.bundle=redis");
	}

	private static LockTemplate locks(ApplicationContext context) {
		return context.getBean(LockTemplate.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void allConnectionsAreEncrypted(String client) throws Exception {
		TlsProxy proxy = proxy("server");
		ApplicationContextRunner application = connected(trusting("server"), client, proxy);
		application.run((one) -> application.run((two) -> {
			LockHandle renewed = locks(two).acquire(LockRequest.of("renewed").lease(Duration.ofSeconds(6)));
			two.getBean(StringRedisTemplate.class).opsForValue().set("business", "works");
			wakeUp(one, two);
			hearOfRelease(one, two);
			awaitRenewal(two);
			assertThat(renewed.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(plainClients(proxy)).isEmpty();
			assertThat(clients()).hasSizeGreaterThanOrEqualTo(client.equals("jedis") ? 4 : 3)
				.hasSizeLessThanOrEqualTo(proxy.handshakes())
				.anyMatch((line) -> line.contains(" sub=1 "));
		}));
	}

	private static void awaitRenewal(ApplicationContext context) {
		HoldfastLockRegistry registry = context.getBean(HoldfastLockRegistry.class);
		await().atMost(Duration.ofSeconds(30)).until(() -> registry.status().lastRenewal() != null);
	}

	private static void wakeUp(ApplicationContext one, ApplicationContext two) {
		LockHandle held = locks(one).acquire("handed-on");
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> locks(two).acquire(LockRequest.of("handed-on").waitFor(Duration.ofSeconds(30))));
		await().until(() -> two.getBean(LockStore.class).subscription() == LockStore.Subscription.ACTIVE);
		held.release();
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Only a message tells of it before the first renewal.
	 */
	private static void hearOfRelease(ApplicationContext one, ApplicationContext two) throws InterruptedException {
		CountDownLatch lost = new CountDownLatch(1);
		locks(two).acquire("taken-away").onLost((lock) -> lost.countDown());
		assertThat(one.getBean(HoldfastLockRegistry.class)
			.operations()
			.forceRelease("taken-away", null, Duration.ofSeconds(20))
			.isReleased()).isTrue();
		assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private static List<String> plainClients(TlsProxy proxy) {
		return clients().stream()
			.filter((line) -> !proxy.isSource(Integer.parseInt(line.replaceAll(".* addr=[^ ]+:(\\d+) .*", "$1"))))
			.toList();
	}

	/**
	 * Return what Redis tells of its clients, apart from who asks.
	 */
	private static List<String> clients() {
		try (Jedis jedis = redis.connect()) {
			String own = "id=" + jedis.clientId() + " ";
			return jedis.clientList().lines().filter((line) -> !line.startsWith(own)).toList();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void urlMayAskForIt(String client) throws Exception {
		TlsProxy proxy = proxy("server");
		trusting("server")
			.withPropertyValues("spring.data.redis.client-type=" + client,
					"spring.data.redis.url=rediss://localhost:" + proxy.port(), "spring.data.redis.ssl.bundle=redis")
			.run((context) -> {
				assertThat(locks(context).acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(proxy.handshakes()).isPositive();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void serverThatIsNotTrustedIsRefused(String client) throws Exception {
		TlsProxy proxy = proxy("server");
		connected(trusting("elsewhere"), client, proxy)
			.run((context) -> refuses(context, "its certificate is refused", "valid certification path"));
	}

	private static void refuses(ApplicationContext context, String... reasons) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks(context).acquire("k"))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("'k'").contains(reasons));
		await().untilAsserted(() -> {
			Health health = context.getBean(LocksHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().toString()).contains(reasons);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void saysThatOnlyOneSideSpeaksIt(String client) throws Exception {
		ApplicationContextRunner application = trusting("server").withPropertyValues(
				"spring.data.redis.client-type=" + client, "spring.data.redis.timeout=2s", "holdfast.wait-for=0");
		application.withPropertyValues("spring.data.redis.port=" + redis.port(), "spring.data.redis.ssl.bundle=redis")
			.run((context) -> assertRefused(context, "see that its port speaks TLS"));
		application.withPropertyValues("spring.data.redis.port=" + proxy("server").port())
			.run((context) -> assertRefused(context, "if its port expects TLS", "TLS is expected"));
	}

	/**
	 * Ask again where the machine was too slow for the reason to arrive in time.
	 */
	private static void assertRefused(ApplicationContext context, String... possibleReasons) {
		await().untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks(context).acquire("k"))
			.satisfies((ex) -> assertThat(ex.getMessage()).containsAnyOf(possibleReasons)));
	}

	@Test
	void serverWithTheNameOfAnotherIsRefusedByLettuce() throws Exception {
		connected(trusting("elsewhere"), "lettuce", proxy("elsewhere"))
			.run((context) -> refuses(context, "its certificate is refused", "localhost"));
	}

	@Test
	void serverWithTheNameOfAnotherIsRefusedByJedisWhenItIsToldTo() throws Exception {
		ApplicationContextRunner application = connected(trusting("elsewhere"), "jedis", proxy("elsewhere"));
		application.run((context) -> assertThat(locks(context).acquire("k").release()).as("without being told to")
			.isEqualTo(ReleaseResult.RELEASED));
		application.withUserConfiguration(HostNames.class)
			.run((context) -> refuses(context, "its certificate is refused", "localhost"));
		connected(trusting("server"), "jedis", proxy("server")).withUserConfiguration(HostNames.class)
			.run((context) -> assertThat(locks(context).acquire("k").release()).isEqualTo(ReleaseResult.RELEASED));
	}

	@Configuration(proxyBeanMethods = false)
	static class HostNames {

		// snippet: tls-host-name
		@Bean
		JedisClientConfigurationBuilderCustomizer redisHostNameCheck() {
			SSLParameters parameters = new SSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			return (client) -> client.useSsl().sslParameters(parameters);
		}
		// end

	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void clientsShowACertificateWhenTheyHaveOne(String client) throws Exception {
		ApplicationContextRunner unknown = connected(trusting("server"), client, proxy("server", "elsewhere"))
			.withPropertyValues("holdfast.wait-for=0");
		unknown.run((context) -> refuses(context, "Redis failed"));
		showing(unknown, "elsewhere")
			.run((context) -> assertThat(locks(context).acquire("k").release()).isEqualTo(ReleaseResult.RELEASED));
	}

	private static ApplicationContextRunner showing(ApplicationContextRunner application, String name) {
		return application.withPropertyValues(
				"spring.ssl.bundle.jks.redis.keystore.location=" + certificates.keyStore(name),
				"spring.ssl.bundle.jks.redis.keystore.type=PKCS12",
				"spring.ssl.bundle.jks.redis.keystore.password=" + Certificates.PASSWORD);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void locksGoOnWhenTheServerHasANewCertificateThatIsTrusted(String client) throws Exception {
		TlsProxy old = proxy("server");
		connected(trusting("server", "renewed"), client, old).run((context) -> {
			LockHandle lock = locks(context).acquire(LockRequest.of("k").lease(Duration.ofSeconds(20)));
			TlsProxy fresh = renew(old);
			assertThat(lock.extend(Duration.ofSeconds(30))).isTrue();
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(fresh.handshakes()).isPositive();
		});
	}

	/**
	 * Spring Boot's connection factories read a bundle once.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void tellsThatLocksAreLostWithACertificateThatOnlyAReloadedBundleTrusts(String client) throws Exception {
		TlsProxy old = proxy("server");
		connected(trusting("server"), client, old).withPropertyValues("holdfast.wait-for=0").run((context) -> {
			CompletableFuture<LockHandle> lost = new CompletableFuture<>();
			locks(context).acquire(LockRequest.of("k").lease(Duration.ofSeconds(3))).onLost(lost::complete);
			context.getBean(StringRedisTemplate.class).opsForValue().set("business", "works");
			context.getBean(SslBundleRegistry.class).updateBundle("redis", trustingOnly("renewed"));
			renew(old);
			assertThat(Threads.join(lost).isHeld()).isFalse();
			refuses(context, "its certificate is refused");
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> context.getBean(StringRedisTemplate.class).opsForValue().get("business"));
		});
	}

	private TlsProxy renew(TlsProxy old) throws Exception {
		old.close();
		return proxy(old.port(), redis, "renewed");
	}

	private static SslBundle trustingOnly(String name) throws Exception {
		JksSslStoreDetails trusted = new JksSslStoreDetails("PKCS12", null, certificates.trustStore(name).toString(),
				Certificates.PASSWORD);
		return SslBundle.of(new JksSslStoreBundle(null, trusted));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void nodesOfAClusterAreReachedByIt(String client) throws Exception {
		TlsProxy proxy = proxy(CLUSTER_PORT, cluster, "server");
		trusting("server")
			.withPropertyValues("spring.data.redis.client-type=" + client,
					"spring.data.redis.cluster.nodes=127.0.0.1:" + CLUSTER_PORT, "spring.data.redis.ssl.bundle=redis")
			.run((context) -> {
				assertThat(locks(context).acquire(LockRequest.of("k", "other")).release())
					.isEqualTo(ReleaseResult.RELEASED);
				assertThat(proxy.handshakes()).isPositive();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void sentinelsAndTheirMasterAreReachedByIt(String client) throws Exception {
		TlsProxy master = proxy(MASTER_PORT, redis, "server");
		TlsProxy ofSentinel = proxy(RedisProcess.freePort(), sentinel, "server");
		trusting("server").withPropertyValues("spring.data.redis.client-type=" + client,
				"spring.data.redis.sentinel.master=" + RedisSentinels.MASTER_NAME,
				"spring.data.redis.sentinel.nodes=localhost:" + ofSentinel.port(), "spring.data.redis.ssl.bundle=redis")
			.run((context) -> {
				assertThat(locks(context).acquire("k").release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(master.handshakes()).isPositive();
				assertThat(ofSentinel.handshakes()).isPositive();
			});
	}

}
