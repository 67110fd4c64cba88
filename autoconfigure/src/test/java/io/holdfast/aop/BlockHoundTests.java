package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.test.EmptyTransactions;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Publishers that run under locks in Redis, on threads that must not block.
 */
@Tag("blockhound")
@Tag("depends-on-jdk")
@Tag("slow")
class BlockHoundTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final List<BlockingOperationError> errors = new CopyOnWriteArrayList<>();

	private static ConfigurableApplicationContext context;

	private static Scheduler scheduler;

	@BeforeAll
	static void start() {
		// what Netty waits for is not ours, and an error there would end a connection
		BlockHound.install((builder) -> builder
			.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup", "allocate")
			.blockingMethodCallback((method) -> {
				BlockingOperationError error = new BlockingOperationError(method);
				errors.add(error);
				throw error;
			}));
		scheduler = Schedulers.newParallel("event-loop", 2);
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off")
			.run();
	}

	@AfterAll
	static void close() {
		context.close();
		scheduler.dispose();
	}

	@BeforeEach
	void forgetErrors() {
		errors.clear();
	}

	@Test
	void blockingIsNoticed() {
		Mono<String> blocking = Mono.fromCallable(() -> {
			// waits for nothing: it is what BlockHound is to notice
			Thread.sleep(1);
			return "slept";
		});
		assertThatThrownBy(() -> blocking.subscribeOn(scheduler).block(LIMIT))
			.hasCauseInstanceOf(BlockingOperationError.class);
	}

	@Test
	void noThreadBlocksWhileATransactionKeepsItsLock() {
		ReactiveLockTemplate template = context.getBean(ReactiveLockTemplate.class);
		Mono<Integer> section = template.execute("transaction",
				(lock) -> Mono.just(1).delayElement(Duration.ofMillis(1), scheduler));
		TransactionalOperator transaction = TransactionalOperator
			.create(new EmptyTransactions(Mono.empty(), Mono.empty()));
		assertThat(transaction.transactional(section.publishOn(scheduler)).subscribeOn(scheduler).block(LIMIT)).isOne();
		assertThat(context.getBean(LockRegistry.class).held()).isEmpty();
		assertThat(errors).isEmpty();
	}

	@Test
	void noThreadBlocksWhileManyWaitForOneKey() {
		Warehouse warehouse = context.getBean(Warehouse.class);
		List<Integer> inside = Flux.fromStream(IntStream.range(0, 100).boxed())
			.flatMap((i) -> warehouse.count("key").subscribeOn(scheduler), 100)
			.collectList()
			.block(LIMIT);
		assertThat(inside).hasSize(100).containsOnly(1);
		assertThat(errors).isEmpty();
	}

	@Test
	void noThreadBlocksWhenWaitersAreCancelled() {
		Warehouse warehouse = context.getBean(Warehouse.class);
		Long late = Flux.fromStream(IntStream.range(0, 20).boxed())
			.flatMap((i) -> warehouse.hold("other")
				.subscribeOn(scheduler)
				.timeout(Duration.ofMillis(200), Mono.just("late"), scheduler), 20)
			.filter("late"::equals)
			.count()
			.block(LIMIT);
		assertThat(late).isEqualTo(20);
		assertThat(warehouse.count("other").subscribeOn(scheduler).block(LIMIT)).isOne();
		assertThat(errors).isEmpty();
	}

	@Test
	void locksThatNobodyHoldsForLongAreNoBlockingCalls() throws Exception {
		ReentrantLock lock = (ReentrantLock) EngineRuntime.of(System::nanoTime).newLock();
		lock.lock();
		Mono<Void> locking = Mono.fromRunnable(() -> {
			lock.lock();
			lock.unlock();
		});
		CompletableFuture<Void> locked = locking.subscribeOn(scheduler).toFuture();
		await().until(() -> lock.hasQueuedThreads() || locked.isDone());
		lock.unlock();
		locked.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
		assertThat(errors).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Warehouse.class)
	static class Application {

	}

	static class Warehouse {

		private final AtomicInteger inside = new AtomicInteger();

		@DistributedLock(key = "#key", waitFor = "60s")
		Mono<Integer> count(String key) {
			return Mono.fromCallable(this.inside::incrementAndGet)
				.delayElement(Duration.ofMillis(1), scheduler)
				.doOnNext((entered) -> this.inside.decrementAndGet());
		}

		@DistributedLock(key = "#key", waitFor = "60s")
		Mono<String> hold(String key) {
			return Mono.never();
		}

	}

}
