package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.test.Threads;
import io.micrometer.context.ContextRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thread-locals of callers whose methods run on other threads.
 */
class CallerContextTests {

	private static final ThreadLocal<String> tenant = new ThreadLocal<>();

	private static AnnotationConfigApplicationContext context;

	private final Warehouse warehouse = context.getBean(Warehouse.class);

	@BeforeAll
	static void start() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", tenant);
		context = LocalApplication.start(Warehouse.class);
	}

	@AfterAll
	static void close() {
		context.close();
		ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
	}

	@BeforeEach
	void setTenant() {
		tenant.set("acme");
	}

	@AfterEach
	void removeTenant() {
		tenant.remove();
	}

	@Test
	void futureBeginsInTheContextOfTheCallerAfterAWait() {
		CompletableFuture<CompletableFuture<String>> moved = new CompletableFuture<>();
		LocalApplication.whileHeldElsewhere(context, "a", () -> moved.complete(this.warehouse.move("a")));
		assertThat(Threads.join(Threads.join(moved))).isEqualTo("acme");
	}

	@Test
	void fallbackRunsInTheContextOfTheCaller() {
		LocalApplication.whileHeldElsewhere(context, "a",
				() -> assertThat(Threads.join(this.warehouse.moveOrNot("a"))).isEqualTo("not acme"));
	}

	@Test
	void publisherIsMadeInTheContextOfTheSubscriber() {
		Mono<String> moved = this.warehouse.moveLater("a");
		tenant.set("other");
		assertThat(Threads.join(moved.toFuture())).isEqualTo("other");
	}

	@Test
	void codeThatFollowsAnAcquisitionRunsInTheContextOfTheCaller() {
		CompletableFuture<CompletableFuture<String>> seen = new CompletableFuture<>();
		LocalApplication.whileHeldElsewhere(context, "a",
				() -> seen.complete(context.getBean(LockTemplate.class)
					.acquireAsync(LockRequest.of("a").waitForever())
					.thenApplyAsync((lock) -> lock.release() + " by " + tenant.get())));
		assertThat(Threads.join(Threads.join(seen))).isEqualTo("RELEASED by acme");
	}

	@Test
	void futureBeginsInTheContextOfTheCallerAndLeavesNothingOnTheThread() {
		assertThat(Threads.join(this.warehouse.move("a"))).isEqualTo("acme");
		tenant.remove();
		assertThat(Threads.join(this.warehouse.move("a"))).isEqualTo("null");
	}

	static class Warehouse {

		@DistributedLock(key = "#key", waitFor = "30s")
		CompletableFuture<String> move(String key) {
			return CompletableFuture.completedFuture(String.valueOf(tenant.get()));
		}

		@DistributedLock(key = "#key", fallback = "not")
		CompletableFuture<String> moveOrNot(String key) {
			return CompletableFuture.completedFuture(tenant.get());
		}

		CompletableFuture<String> not(String key, LockNotAcquiredException failure) {
			return CompletableFuture.completedFuture("not " + tenant.get());
		}

		@DistributedLock("#key")
		Mono<String> moveLater(String key) {
			return Mono.just(tenant.get());
		}

	}

}
