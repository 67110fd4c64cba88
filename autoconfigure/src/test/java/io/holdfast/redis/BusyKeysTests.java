package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Keys that are never free for long.
 */
class BusyKeysTests {

	private static final Duration LONG = Duration.ofSeconds(40);

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	/**
	 * At no time are both keys free by themselves.
	 */
	@Test
	void fairRequestForAllOfThemIsServed() {
		AtomicBoolean stopped = new AtomicBoolean();
		AtomicInteger sections = new AtomicInteger();
		List<CompletableFuture<?>> others = new ArrayList<>();
		try (TestInstance one = new TestInstance(stores::open); TestInstance two = new TestInstance(stores::open)) {
			for (int i = 0; i < 8; i++) {
				TestInstance instance = (i < 4) ? one : two;
				String key = (i % 2 == 0) ? "a" : "b";
				Duration busy = Duration.ofMillis((i % 2 == 0) ? 20 : 31);
				others.add(Threads.start(() -> {
					while (!stopped.get()) {
						try (LockHandle handle = instance.template()
							.acquire(LockRequest.of(key).waitFor(Duration.ofMinutes(1)))) {
							LockSupport.parkNanos(busy.toNanos());
							sections.incrementAndGet();
							handle.ensureHeld();
						}
					}
					return true;
				}));
			}
			await().until(() -> sections.get() > 8);
			for (int i = 0; i < 5; i++) {
				try (LockHandle both = one.template()
					.acquire(LockRequest.of("a", "b").fair().waitFor(Duration.ofSeconds(20)))) {
					int before = sections.get();
					LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
					assertThat(sections).hasValue(before);
					both.ensureHeld();
				}
			}
			stopped.set(true);
			others.forEach(Threads::join);
		}
		finally {
			stopped.set(true);
		}
	}

	/**
	 * The fair waiter is woken, and waits for what the nested caller holds. Waiters do
	 * not ask again unless they are woken.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nestedCallerGoesPastAFairWaiterForSeveralKeysAtOnce(boolean sameInstance) {
		try (TestInstance one = new TestInstance(stores::open, LONG);
				TestInstance two = new TestInstance(stores::open, LONG)) {
			TestInstance nesting = sameInstance ? one : two;
			CountDownLatch outside = new CountDownLatch(1);
			CountDownLatch fairWaits = new CountDownLatch(1);
			LockHandle inner = one.template().acquire("inner");
			CompletableFuture<Duration> nested = Threads.start(() -> {
				try (LockHandle outer = nesting.template().acquire("outer")) {
					outside.countDown();
					Threads.await(fairWaits);
					outer.ensureHeld();
					nesting.template().acquire(LockRequest.of("inner").waitFor(LONG)).close();
					return Duration.ofNanos(System.nanoTime());
				}
			});
			Threads.await(outside);
			CompletableFuture<LockHandle> fair = Threads.start(() -> two.template()
				.acquire(LockRequest.of("outer", "inner").fair().ownedByHandle().waitFor(LONG)));
			await().until(() -> stores.isQueued("inner", 1));
			fairWaits.countDown();
			await().until(() -> one.registry().status().acquiring() + two.registry().status().acquiring() == 2);
			await().until(() -> stores.isQueued("inner", sameInstance ? 1 : 2));
			Duration released = Duration.ofNanos(System.nanoTime());
			inner.release();
			assertThat(Threads.join(nested).minus(released)).isLessThan(LONG.dividedBy(4));
			Threads.join(fair).release();
		}
	}

}
