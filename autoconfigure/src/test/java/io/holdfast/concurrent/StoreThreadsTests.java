package io.holdfast.concurrent;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.concurrent.Background;
import io.holdfast.concurrent.EngineRuntime;
import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.concurrent.StoreThreads;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Work in the background on two servers.
 */
class StoreThreadsTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final List<String> ONE = List.of("one");

	private static final List<String> TWO = List.of("two");

	private final StoreThreads threads = new StoreThreads((keys) -> keys.get(0),
			new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "test-timer"));

	private void repeat(List<String> server, Runnable once) {
		this.threads.repeat(server, () -> {
			once.run();
			return true;
		});
	}

	@Test
	void oneServerIsNotKeptWaitingForAnother() {
		CountDownLatch hanging = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		repeat(ONE, () -> Threads.await(hanging));
		repeat(TWO, done::countDown);
		Threads.await(done);
		assertThat(hanging.getCount()).isOne();
		hanging.countDown();
	}

	@Test
	void whatIsAskedOfAServerIsAskedInOrder() {
		CountDownLatch hanging = new CountDownLatch(1);
		AtomicInteger order = new AtomicInteger();
		repeat(ONE, () -> Threads.await(hanging));
		CompletableFuture<Integer> first = new CompletableFuture<>();
		CompletableFuture<Integer> second = new CompletableFuture<>();
		repeat(ONE, () -> first.complete(order.incrementAndGet()));
		this.threads.repeat(ONE, () -> second.complete(order.incrementAndGet()));
		hanging.countDown();
		assertThat(List.of(Threads.join(first), Threads.join(second))).containsExactly(1, 2);
	}

	@Test
	void waitIsOverWhenAllServersHaveAnswered() {
		CountDownLatch one = new CountDownLatch(1);
		CountDownLatch two = new CountDownLatch(1);
		repeat(ONE, () -> Threads.await(one));
		repeat(TWO, () -> Threads.await(two));
		CompletableFuture<Boolean> waited = Threads.start(() -> {
			this.threads.awaitAttempts(LONG);
			return one.getCount() + two.getCount() == 0;
		});
		one.countDown();
		this.threads.awaitAttempts(Duration.ofMillis(10));
		assertThat(waited).isNotDone();
		two.countDown();
		assertThat(Threads.join(waited)).isTrue();
	}

	@Test
	void everythingIsForgottenThatHasNotBegun() {
		CountDownLatch hanging = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(2);
		AtomicInteger later = new AtomicInteger();
		List.of(ONE, TWO).forEach((server) -> {
			repeat(server, () -> {
				begun.countDown();
				Threads.await(hanging);
			});
			repeat(server, later::incrementAndGet);
		});
		Threads.await(begun);
		this.threads.forgetRepetitions();
		hanging.countDown();
		this.threads.awaitAttempts(LONG);
		assertThat(later).hasValue(0);
	}

}
