package io.holdfast.smoke;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.actuate.LocksEndpoint;
import io.holdfast.integration.IntegrationLockRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a user of the starter does first, on whichever Spring Boot the build has.
 */
@SpringBootTest(properties = { "holdfast.wait-for=200ms", "management.endpoints.web.exposure.include=*",
		"spring.application.name=smoke" })
class SmokeTests {

	private static final RedisServer redis = start();

	@Autowired
	private Orders orders;

	@Autowired
	private LockTemplate locks;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private IntegrationLockRegistry integration;

	@Autowired
	private LockProvider shedlock;

	@Autowired
	private LocksEndpoint endpoint;

	@Autowired
	private Map<String, HealthIndicator> health;

	@Autowired
	private MeterRegistry meters;

	@Autowired
	private RedisConnectionFactory connections;

	private static RedisServer start() {
		int port = freePort();
		RedisServer server = RedisServer.builder().port(port).build();
		server.start();
		System.setProperty("smoke.port", Integer.toString(port));
		return server;
	}

	/**
	 * Find a port that neither outgoing connections get nor the tests that may run beside
	 * this one.
	 */
	private static int freePort() {
		for (int port = 9_000;; port++) {
			try (ServerSocket free = new ServerSocket(port)) {
				return free.getLocalPort();
			}
			catch (IOException ex) {
				// In use: the next one
			}
		}
	}

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.port", () -> System.getProperty("smoke.port"));
	}

	@AfterAll
	static void stop() throws IOException {
		redis.stop();
	}

	private void whileHeldElsewhere(String key, Runnable action) {
		try (LockHandle held = this.locks.acquire(LockRequest.of(key).ownedByHandle())) {
			action.run();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void runsOnTheSpringBootThatIsMeant() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("smoke.boot"));
		System.out.println("Spring Boot " + SpringBootVersion.getVersion() + ", " + this.connections.getClass());
	}

	@Test
	void annotatedMethodHasTheLock() {
		assertThat(this.orders.ship("42")).containsExactly("order:42");
		assertThat(this.registry.held()).isEmpty();
		whileHeldElsewhere("order:42", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.ship("42"));
			assertThat(this.orders.skip("42")).isEmpty();
		});
		assertThat(this.orders.later("42").join()).containsExactly("order:42");
	}

	@Test
	void otherLibrariesHaveTheLocks() throws Exception {
		this.integration.executeLocked("k", () -> assertThat(this.registry.held()).singleElement()
			.satisfies((lock) -> assertThat(lock.keys()).containsExactly("integration:k")));
		SimpleLock lock = this.shedlock
			.lock(new LockConfiguration(Instant.now(), "k", Duration.ofMinutes(1), Duration.ZERO))
			.orElseThrow();
		assertThat(this.registry.held()).singleElement()
			.satisfies((held) -> assertThat(held.keys()).containsExactly("shedlock:k"));
		lock.unlock();
		assertThat(this.registry.held()).isEmpty();
	}

	@Test
	void templateHandlesAndViewsShareLocks() throws Exception {
		LockHandle handle = this.locks.acquire(LockRequest.of("k").lease(Duration.ofSeconds(10)));
		assertThat(handle.fencingToken()).isPositive();
		assertThat(handle.extend(Duration.ofSeconds(20))).isTrue();
		Lock view = this.registry.lock("k");
		CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(view::tryLock);
		assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
		view.unlock();
		try (LockHandle both = this.locks.acquire(LockRequest.of("a", "b"));
				LockHandle shared = this.locks.acquire(LockRequest.of("c").shared())) {
			assertThat(both.isHeld() && shared.isHeld()).isTrue();
		}
	}

	@Test
	void waitersAreWoken() throws Exception {
		LockHandle handle = this.locks.acquire(LockRequest.of("woken").ownedByHandle());
		CountDownLatch asked = new CountDownLatch(1);
		CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
			asked.countDown();
			try (LockHandle next = this.locks.acquire(LockRequest.of("woken").waitFor(Duration.ofSeconds(20)))) {
				return next.fencingToken();
			}
		});
		asked.await();
		long token = handle.fencingToken();
		handle.release();
		assertThat(waiter.get(10, TimeUnit.SECONDS)).isGreaterThan(token);
	}

	@Test
	void actuatorTellsOfLocks() {
		whileHeldElsewhere("seen", () -> {
			assertThat(this.endpoint.locks(true).locks()).anyMatch((lock) -> lock.key().equals("seen"));
			assertThat(this.meters.get("holdfast.held").gauge().value()).isPositive();
		});
		assertThat(this.health).containsKey("locksHealthIndicator");
		assertThat(this.health.get("locksHealthIndicator").health().getStatus().getCode()).isEqualTo("UP");
	}

	@SpringBootApplication
	static class Application {

		@org.springframework.context.annotation.Bean
		Orders orders(LockRegistry registry) {
			return new Orders(registry);
		}

	}

	static class Orders {

		private final LockRegistry registry;

		Orders(LockRegistry registry) {
			this.registry = registry;
		}

		private List<String> held() {
			return this.registry.held().stream().flatMap((lock) -> lock.keys().stream()).toList();
		}

		@DistributedLock(name = "order", key = "#id")
		public List<String> ship(String id) {
			return held();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		public List<String> skip(String id) {
			return held();
		}

		@DistributedLock(name = "order", key = "#id")
		public CompletableFuture<List<String>> later(String id) {
			return CompletableFuture.completedFuture(held());
		}

	}

}
