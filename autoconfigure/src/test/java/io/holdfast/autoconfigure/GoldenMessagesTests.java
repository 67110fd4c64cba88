package io.holdfast.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.aop.LocalApplication;
import io.holdfast.test.Certificates;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.TlsProxy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * The messages that users meet, word for word: {@code golden-messages.txt} has them all.
 * Other tests ask for the type, and for the word that a user needs. After a change to a
 * message, {@code -Dholdfast.docs.write=true} writes the file anew. Lines of the log are
 * in the table of {@code docs/operations.md}.
 */
@Tag("any-jdk")
class GoldenMessagesTests {

	private static final Path FILE = Path.of("src/test/resources/golden-messages.txt");

	private final Map<String, String> messages = new LinkedHashMap<>();

	@Test
	void messagesAreThoseInTheFile(@TempDir Path directory) throws Exception {
		annotationsThatAreRefused();
		valuesThatAreRefused();
		startsWithoutWhatLocksNeed();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
			.withPropertyValues("holdfast.store=local", "holdfast.wait-for=0", "holdfast.key-prefix=golden")
			.run((context) -> {
				LockTemplate locks = context.getBean(LockTemplate.class);
				requestsThatAreRefused(locks);
				locksThatAreNotAcquired(locks);
				locksThatAreLost(locks);
				sectionsThatGoWrong(locks, context.getBean(LockRegistry.class));
				context.getSourceApplicationContext().close();
				refused("the application is shutting down", () -> locks.acquire("k"));
			});
		redisThatDoesNotAnswer("no Redis is there", RedisProcess.freePort());
		Certificates certificates = new Certificates(directory, Map.of("server", "dns:a", "trusted", "dns:b"));
		try (TlsProxy proxy = new TlsProxy(RedisProcess.freePort(), 0, certificates, "server")) {
			redisThatDoesNotAnswer("certificate that is not trusted", proxy.port(), "spring.data.redis.ssl.bundle=b",
					"spring.ssl.bundle.jks.b.truststore.location=" + certificates.trustStore("trusted"),
					"spring.ssl.bundle.jks.b.truststore.password=" + Certificates.PASSWORD);
		}
		String all = this.messages.entrySet()
			.stream()
			.map((message) -> "## %s\n%s\n".formatted(message.getKey(), message.getValue()))
			.collect(Collectors.joining("\n"));
		if (Boolean.getBoolean("holdfast.docs.write")) {
			Files.writeString(FILE, all);
		}
		assertThat(all).as("%s, which this test writes anew with -Dholdfast.docs.write=true", FILE)
			.isEqualTo(Files.readString(FILE));
	}

	private void annotationsThatAreRefused() {
		Map<String, Class<?>> beans = new LinkedHashMap<>();
		beans.put("private method", ProxyVisibilityTests.PrivateMethod.class);
		beans.put("static method", ProxyVisibilityTests.StaticMethod.class);
		beans.put("final method", ProxyVisibilityTests.FinalMethod.class);
		beans.put("final class", ProxyVisibilityTests.FinalClassAlone.class);
		beans.put("package-private method of another package", ProxyVisibilityTests.FromAnotherPackage.class);
		beans.put("bean without a proxy", ProxyVisibilityTests.AnAspect.class);
		beans.put("method that the container calls on the object itself", ContainerCallTests.PostConstructed.class);
		beans.put("method that creates a bean", ContainerCallTests.BeanMethod.class);
		beans.put("duration in an annotation", DurationCheckTests.TooShort.class);
		beans.put("placeholder without a value", DurationCheckTests.Placeholder.class);
		beans.put("minHold longer than the lease", DurationCheckTests.LongerThanLease.class);
		beans.put("minHold longer than maxHold", DurationCheckTests.LongerThanMaxHold.class);
		beans.put("no key and no name", NoKey.class);
		beans.put("expression that cannot be parsed", BadExpression.class);
		beans.put("unknown variable", UnknownVariable.class);
		beans.put("missing fallback", MissingFallback.class);
		beans.forEach((name, bean) -> refusedStart(name, LocalApplication.with(bean)));
		refusedStart("method in none of the interfaces",
				LocalApplication.with(ProxyVisibilityTests.BesidesTheInterface.class)
					.withPropertyValues(ProxyVisibilityTests.BY_INTERFACES));
		refusedStart("circular reference",
				LocalApplication.with(ProxyVisibilityTests.ScheduledInACircle.class)
					.withBean("inACircle", ProxyVisibilityTests.InACircle.class)
					.withAllowCircularReferences(true));
	}

	private void valuesThatAreRefused() {
		for (String[] value : new String[][] { { "duration without a unit", "test.lease=30" },
				{ "duration that is none", "test.lease=abc" }, { "wait that is negative", "test.waitFor=-5s" },
				{ "number of permits", "test.permitsString=0" } }) {
			refusedStart(value[0],
					LocalApplication.with(DurationCheckTests.FromProperties.class).withPropertyValues(value[1]));
		}
		for (String property : new String[] { "lease=99ms", "lease=30 sec", "wait-for=-2", "max-hold=0",
				"key-prefix=a}", "local-handoffs=-1", "redis.pool.max-active=2", "redis.ssl.bundle=b",
				"redis.replica-ack-timeout=0", "aspect.mode=aspectj" }) {
			refusedStart("holdfast." + property,
					LocalApplication.with()
						.withPropertyValues("holdfast.store=redis", "holdfast." + property)
						.withBean(JedisConnectionFactory.class));
		}
	}

	private void startsWithoutWhatLocksNeed() {
		ApplicationContextRunner plain = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class));
		ApplicationContextRunner redis = plain
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
		refusedStart("no Redis", plain);
		refusedStart("no module for the database", plain.withPropertyValues("holdfast.store=jdbc"));
		refusedStart("no module for nodes", plain.withPropertyValues("holdfast.redis.nodes=redis://a"));
		refusedStart("no such connection factory",
				redis.withPropertyValues("holdfast.redis.connection-factory=absent"));
		refusedStart("static replicas", redis.withPropertyValues("spring.data.redis.client-type=lettuce",
				"spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2"));
		refusedStart("replicas of a Cluster", redis.withPropertyValues("holdfast.redis.replica-acks=1",
				"spring.data.redis.client-type=lettuce", "spring.data.redis.cluster.nodes=127.0.0.1:1"));
		refusedStart("locks are off", plain.withPropertyValues("holdfast.enabled=false")
			.withUserConfiguration(MissingLocksFailureAnalyzerTests.TemplateUser.class));
	}

	private void requestsThatAreRefused(LockTemplate locks) {
		LockRequest request = LockRequest.of("k");
		refused("blank key", () -> LockRequest.of(" "));
		refused("lease that is too short", () -> request.lease(Duration.ofMillis(1)));
		refused("fair request for several keys", () -> LockRequest.of("a", "b").fair());
		refused("permits of an exclusive lock", () -> request.mode(LockMode.EXCLUSIVE).permits(2));
		refused("thread that must not block",
				() -> Mono.fromCallable(() -> locks.acquire("k"))
					.subscribeOn(Schedulers.newParallel("parallel", 1))
					.block());
	}

	private void locksThatAreNotAcquired(LockTemplate locks) {
		LockRequest byHandle = LockRequest.of("k").ownedByHandle();
		try (LockHandle held = locks.acquire("k")) {
			refused("lock of the caller's own thread", () -> locks.acquire(byHandle));
			refused("wait that was in vain", () -> locks.acquire(byHandle.waitFor(Duration.ofMillis(5))));
			assertThat(held.isHeld()).isTrue();
		}
		try (LockHandle held = locks.acquire(byHandle)) {
			refused("lock of a handle", () -> locks.acquire("k"));
			assertThat(held.isHeld()).isTrue();
		}
		try (LockHandle held = locks.acquire(LockRequest.of("k").shared())) {
			refused("exclusive lock within the shared one", () -> locks.acquire("k"));
			assertThat(held.isHeld()).isTrue();
		}
		try (LockHandle held = locks.acquire(byHandle.permits(1))) {
			refused("permits that are taken", () -> locks.acquire(LockRequest.of("k").permits(1)));
			assertThat(held.isHeld()).isTrue();
		}
		locks.acquire(LockRequest.of("kept").minHold(Duration.ofMinutes(1))).release();
		refused("kept lock", () -> locks.acquire("kept"));
		locks.forceRelease("kept");
	}

	private void locksThatAreLost(LockTemplate locks) {
		refused("lock that was released by force", () -> locks.executeWithoutResult("k", (lock) -> {
			locks.forceRelease("k");
			await().until(() -> !lock.isHeld());
		}));
		LockHandle released = locks.acquire("k");
		released.release();
		refused("handle that was released", released::ensureHeld);
	}

	private void sectionsThatGoWrong(LockTemplate locks, LockRegistry registry) {
		refused("section that returns a publisher", () -> locks.execute("k", (lock) -> Mono.just(1)));
		refused("stage that is missing",
				() -> locks.executeAsync(LockRequest.of("k"), (lock) -> (CompletableFuture<String>) null).join());
		refused("publisher that is missing",
				() -> new ReactiveLockTemplate(locks).execute("k", (lock) -> (Mono<String>) null).block());
		refused("assertion without a lock", () -> LockAssert.assertHeld("k"));
		refused("unlock of what is not held", () -> registry.lock("k").unlock());
	}

	private void redisThatDoesNotAnswer(String name, int port, String... properties) {
		for (String client : new String[] { "jedis", "lettuce" }) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
						HoldfastAutoConfiguration.class))
				.withPropertyValues("holdfast.wait-for=0", "spring.data.redis.client-type=" + client,
						"spring.data.redis.port=" + port, "spring.data.redis.timeout=20s")
				.withPropertyValues(properties)
				.run((context) -> refused(name + ", " + client,
						() -> context.getBean(LockTemplate.class).acquire("k")));
		}
	}

	private void refusedStart(String name, ApplicationContextRunner application) {
		application.run((context) -> {
			assertThat(context).as(name).hasFailed();
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure(),
					new MockEnvironment().withProperty("holdfast.enabled", "false"));
			note(name, analysis.getDescription() + "\n-> " + analysis.getAction());
		});
	}

	private void refused(String name, ThrowingCallable call) {
		Throwable failure = catchThrowable(call);
		assertThat(failure).as(name).isNotNull();
		note(name, failure.getClass().getSimpleName() + ": " + failure.getMessage());
	}

	private void note(String name, String message) {
		String lasting = message.replaceAll("[\\w.-]+@[\\w.-]+/\\d+/\\w+", "<instance>")
			.replaceAll("<instance>:(handle-)?\\d+", "<instance>:$1<n>")
			.replaceAll("(thread '|by )(%s|parallel-\\d+)".formatted(Pattern.quote(Thread.currentThread().getName())),
					"$1<thread>")
			.replaceAll("within \\d+ ms", "within <n> ms")
			.replaceAll(":\\d{4,5}\\b", ":<port>");
		assertThat(this.messages.put(name, lasting)).as("earlier message of '%s'", name).isNull();
	}

	static class NoKey {

		@DistributedLock
		void method() {
		}

	}

	static class BadExpression {

		@DistributedLock("#a ==")
		void method(String a) {
		}

	}

	static class UnknownVariable {

		@DistributedLock("#ordr.id")
		void method(String order) {
		}

	}

	static class MissingFallback {

		@DistributedLock(key = "'k'", fallback = "missing")
		void method() {
		}

	}

}
