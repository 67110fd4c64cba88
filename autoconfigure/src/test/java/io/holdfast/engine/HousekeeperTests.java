package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Work in the background on two servers.
 */
class HousekeeperTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final List<String> ONE = List.of("one");

	private static final List<String> TWO = List.of("two");

	private final Housekeeper housekeeper = housekeeper();

	private static Housekeeper housekeeper() {
		FaultyStore store = new FaultyStore(new LocalLockStore(new LocalLocks(), "test"));
		store.spread(UnaryOperator.identity());
		return new Housekeeper(store, new Background(EngineRuntime.of(MonotonicClock.SYSTEM)));
	}

	@Test
	void oneServerIsNotKeptWaitingForAnother() {
		CountDownLatch hanging = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		this.housekeeper.run(ONE, () -> Threads.await(hanging));
		this.housekeeper.run(TWO, done::countDown);
		Threads.await(done);
		assertThat(hanging.getCount()).isOne();
		hanging.countDown();
	}

	@Test
	void whatIsAskedOfAServerIsAskedInOrder() {
		CountDownLatch hanging = new CountDownLatch(1);
		AtomicInteger order = new AtomicInteger();
		this.housekeeper.run(ONE, () -> Threads.await(hanging));
		CompletableFuture<Integer> first = new CompletableFuture<>();
		CompletableFuture<Integer> second = new CompletableFuture<>();
		this.housekeeper.run(ONE, () -> first.complete(order.incrementAndGet()));
		this.housekeeper.repeat(ONE, () -> second.complete(order.incrementAndGet()));
		hanging.countDown();
		assertThat(List.of(Threads.join(first), Threads.join(second))).containsExactly(1, 2);
	}

	@Test
	void waitIsOverWhenAllServersHaveAnswered() {
		CountDownLatch one = new CountDownLatch(1);
		CountDownLatch two = new CountDownLatch(1);
		this.housekeeper.run(ONE, () -> Threads.await(one));
		this.housekeeper.run(TWO, () -> Threads.await(two));
		CompletableFuture<Boolean> waited = Threads.start(() -> {
			this.housekeeper.awaitDone(LONG);
			return one.getCount() + two.getCount() == 0;
		});
		one.countDown();
		this.housekeeper.awaitDone(Duration.ofMillis(10));
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
			this.housekeeper.run(server, () -> {
				begun.countDown();
				Threads.await(hanging);
			});
			this.housekeeper.run(server, later::incrementAndGet);
		});
		Threads.await(begun);
		this.housekeeper.clear();
		hanging.countDown();
		this.housekeeper.awaitDone(LONG);
		assertThat(later).hasValue(0);
	}

}
