package io.holdfast.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.OwnerId;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How an application names its locks' holders: in Redis, and in the messages of another
 * one.
 */
@Tag("any-jdk")
@Tag("slow")
class HolderNamesTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	/**
	 * Conditions are looked at by another one.
	 */
	private static final Thread thread = Thread.currentThread();

	private static RecordedLog log;

	private static ConfigurableApplicationContext shop;

	private static ConfigurableApplicationContext till;

	@BeforeAll
	static void startApplications() {
		shop = start("shop");
		till = start("till");
		log = new RecordedLog(); // an application that starts sets logging up anew
	}

	private static LockNotAcquiredException denied(ConfigurableApplicationContext application, String key) {
		return assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> template(application).acquire(LockRequest.of(key).waitFor(Duration.ZERO)))
			.actual();
	}

	private static ConfigurableApplicationContext start(String name, String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"spring.datasource.generate-unique-name=true", "spring.application.name=" + name,
					"holdfast.warn-wait=1s", "holdfast.shutdown-grace=1s")
			.properties(properties)
			.run();
	}

	@AfterAll
	static void stopApplications() {
		List.of(shop, till).forEach(ConfigurableApplicationContext::close);
		log.close();
	}

	private static LockTemplate template(ConfigurableApplicationContext application) {
		return application.getBean(LockTemplate.class);
	}

	private static LockOperations operations(ConfigurableApplicationContext application) {
		return application.getBean(HoldfastLockRegistry.class).operations();
	}

	/**
	 * Return the id of this thread in an application.
	 */
	private static String owner(ConfigurableApplicationContext application) {
		return operations(application).instanceId() + ":" + thread.getId();
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

	@Test
	void redisShowsWhoHoldsALock() {
		template(shop).acquire("shown");
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.hgetAll("holdfast:{shown}")).containsEntry(owner(shop), "1");
		}
		assertThat(owner(shop))
			.matches("shop@%s/%d/\\w{8,13}:%d".formatted(host(), ProcessHandle.current().pid(), thread.getId()));
		OwnerId id = OwnerId.of(owner(shop));
		assertThat(id.application()).isEqualTo("shop");
		assertThat(id.host()).isEqualTo(host());
		assertThat(id.pid()).isEqualTo(ProcessHandle.current().pid());
		assertThat(id.threadId()).isEqualTo(thread.getId());
	}

	@Test
	void instanceMayKeepToItselfWhoItIs() {
		try (ConfigurableApplicationContext shy = start("shy", "holdfast.announce=false")) {
			assertThat(operations(shy).instanceId()).matches("\\w{8,13}");
			OwnerId id = OwnerId.of(owner(shy));
			assertThat(id.application()).isNull();
			assertThat(id.host()).isNull();
			assertThat(id.pid()).isNull();
		}
	}

	@ParameterizedTest
	@CsvSource({ "'', application", "'a:b@c/d {e}*%#,1', a_b_c_d__e_____1", "Zürich_x-y.z, Z_rich_x-y.z" })
	void namesInIdsHaveNothingThatSeparatesTheirParts(String application, String name) {
		assertThat(OwnerId.newInstance(application)).matches(Pattern.quote(name) + "@[\\w.-]+/\\d+/\\w+");
		assertThat(OwnerId.of(OwnerId.newInstance("x".repeat(300)) + ":1").application()).hasSize(40);
	}

	@Test
	void messagesNameTheHolder() {
		template(shop).acquire("denied");
		assertThat(denied(till, "denied")).hasMessageContaining(owner(shop))
			.extracting(LockNotAcquiredException::getHolder)
			.isEqualTo(owner(shop));
		LockHandle lock = template(shop).acquire("waited-for");
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> template(till).acquire(LockRequest.of("waited-for").waitForever()));
		await().until(() -> !log.lines("Long wait", "waited-for").isEmpty());
		assertThat(log.lines("Long wait", owner(shop))).hasSize(1);
		operations(till).forceRelease("waited-for", lock.fencingToken(), Duration.ofSeconds(20));
		assertThat(log.lines("Lock 'waited-for' of " + owner(shop), "was released by force")).hasSize(1);
		Threads.join(waiter).release();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
