package io.holdfast.docs;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Methods that return before their work is done.
 */
@Tag("any-jdk")
@GuideTest
@Import({ AsyncSnippetsTests.Stock.class, AsyncSnippetsTests.Workers.class })
class AsyncSnippetsTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	@Autowired
	private Stock stock;

	@Autowired
	private LockTemplate locks;

	@Autowired
	private ReactiveLockTemplate reactiveLocks;

	@Autowired
	private LockRegistry registry;

	private OtherInstance other;

	@BeforeEach
	void createOther() {
		this.other = new OtherInstance(this.locks);
		this.stock.begin();
	}

	/**
	 * Does not try to lock it: the application, which tries once, would find it taken.
	 */
	private void awaitHeld() {
		await().until(() -> !this.registry.held().isEmpty());
		assertThat(this.other.canLock("stock:anvil")).isFalse();
	}

	@Test
	void future() {
		CompletableFuture<Integer> count = this.stock.count("anvil");
		awaitHeld();
		assertThat(count).isNotDone();
		this.stock.finish(7);
		assertThat(Threads.join(count)).isEqualTo(7);
		assertThat(this.other.canLock("stock:anvil")).isTrue();
	}

	@Test
	void publishers() {
		Mono<Integer> reserved = this.stock.reserve("anvil");
		assertThat(this.other.canLock("stock:anvil")).isTrue();
		this.stock.finish(7);
		assertThat(reserved.block(LIMIT)).isEqualTo(7);
		assertThat(
				this.stock.watch("anvil").map((count) -> this.other.canLock("stock:anvil")).collectList().block(LIMIT))
			.containsExactly(false, false);
		assertThat(this.other.canLock("stock:anvil")).isTrue();
	}

	@Test
	void async() {
		this.stock.recount("anvil");
		awaitHeld();
		this.stock.finish(7);
		await().until(() -> this.other.canLock("stock:anvil"));
	}

	@Test
	void executeAsync() {
		// snippet: execute-async
		CompletableFuture<Integer> count = this.locks.executeAsync(LockRequest.of("stock:anvil"),
				(lock) -> countAsync("anvil"));
		// end
		awaitHeld();
		this.stock.finish(7);
		assertThat(Threads.join(count)).isEqualTo(7);
	}

	@Test
	void reactiveTemplate() {
		// snippet: reactive-template
		Mono<Integer> order = this.reactiveLocks.execute("stock:anvil",
				(lock) -> reserve("anvil", lock.fencingToken()));
		Flux<Integer> changes = this.reactiveLocks.executeMany(LockRequest.of("stock:anvil").shared(),
				(lock) -> watch("anvil"));
		// end
		assertThat(order.block(LIMIT)).isOne();
		assertThat(changes.collectList().block(LIMIT)).containsExactly(1, 0);
	}

	@Test
	void tokenOfAnAnnotatedPublisher() {
		assertThat(this.stock.reserveWithToken("anvil").block(LIMIT)).isPositive();
	}

	private Mono<Integer> reserve(String item, long token) {
		return Mono.fromCallable(() -> this.other.canLock("stock:" + item) ? 0 : 1);
	}

	private Flux<Integer> watch(String item) {
		return Flux.just(1, 0);
	}

	private CompletableFuture<Integer> countAsync(String item) {
		LockAssert.assertHeld("stock:" + item);
		return this.stock.counted();
	}

	@TestConfiguration(proxyBeanMethods = false)
	@EnableAsync
	static class Workers {

	}

	static class Stock {

		private volatile CompletableFuture<Integer> counted = new CompletableFuture<>();

		// snippet: future
		@DistributedLock(name = "stock", key = "#item")
		public CompletableFuture<Integer> count(String item) {
			return countAsync(item); // locked until this future completes
		}
		// end

		// snippet: publishers
		@DistributedLock(name = "stock", key = "#item")
		public Mono<Integer> reserve(String item) {
			// locked from subscription to completion
			return Mono.fromFuture(countAsync(item));
		}

		@DistributedLock(name = "stock", key = "#item")
		public Flux<Integer> watch(String item) {
			return Flux.range(1, 2);
		}
		// end

		// snippet: token-in-context
		@DistributedLock(name = "stock", key = "#item")
		public Mono<Long> reserveWithToken(String item) {
			return Mono.deferContextual((context) -> {
				LockHandle lock = context.get(LockHandle.class);
				return write(item, lock.fencingToken());
			});
		}
		// end

		private Mono<Long> write(String item, long token) {
			return Mono.just(token);
		}

		// snippet: async
		@Async
		@DistributedLock(name = "stock", key = "#item")
		public void recount(String item) {
			// locked by the thread that runs this
			countAsync(item).orTimeout(1, TimeUnit.MINUTES).join();
		}
		// end

		private CompletableFuture<Integer> countAsync(String item) {
			LockAssert.assertHeld("stock:" + item);
			return this.counted;
		}

		CompletableFuture<Integer> counted() {
			return this.counted;
		}

		void begin() {
			this.counted = new CompletableFuture<>();
		}

		void finish(int count) {
			this.counted.complete(count);
		}

	}

}
