package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How messages of one application name the holders in another one.
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

	/**
	 * Each application knows the other one.
	 */
	@BeforeAll
	static void startApplications() {
		shop = start("shop");
		till = start("till");
		log = new RecordedLog(); // an application that starts sets logging up anew
		template(shop).acquire("of-shop");
		template(till).acquire("of-till");
		await().untilAsserted(() -> {
			assertThat(denied(till, "of-shop")).hasMessageContaining(ofApplication("shop"));
			assertThat(denied(shop, "of-till")).hasMessageContaining(ofApplication("till"));
		});
	}

	private static LockNotAcquiredException denied(ConfigurableApplicationContext application, String key) {
		return assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> template(application).acquire(LockRequest.of(key).waitFor(Duration.ZERO)))
			.actual();
	}

	private static ConfigurableApplicationContext start(String name) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"spring.datasource.generate-unique-name=true", "spring.application.name=" + name,
					"holdfast.warn-wait=1s", "holdfast.shutdown-grace=1s")
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

	private static String ofApplication(String name) {
		return "thread %d of %s on ".formatted(thread.getId(), name);
	}

	@Test
	void exceptionNamesTheHolder() {
		template(shop).acquire("denied");
		assertThat(denied(till, "denied")).hasMessageContaining("held by " + ofApplication("shop"))
			.hasMessageEndingWith(", process %d (%s)", ProcessHandle.current().pid(), owner(shop));
	}

	@Test
	void longWaitNamesTheHolder() {
		LockHandle lock = template(shop).acquire("waited-for");
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> template(till).acquire(LockRequest.of("waited-for").waitForever()));
		await().until(() -> !log.lines("Long wait", "waited-for").isEmpty());
		assertThat(log.lines("Long wait", "waited-for")).singleElement()
			.satisfies((line) -> assertThat(line.text()).contains("holder last seen: " + ofApplication("shop"))
				.endsWith("(" + owner(shop) + ")"));
		lock.release();
		Threads.join(waiter).release();
	}

	@Test
	void releaseByForceNamesTheHolder() {
		LockHandle lock = template(shop).acquire("forced");
		operations(till).forceRelease("forced", lock.fencingToken(), Duration.ofSeconds(20));
		assertThat(log.lines("Lock 'forced' of " + ofApplication("shop"), "was released by force")).hasSize(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
