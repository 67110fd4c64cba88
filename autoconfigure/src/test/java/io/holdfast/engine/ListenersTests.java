package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RecordedLog.Line;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of what listeners throw, and of their taking their time.
 */
class ListenersTests {

	private static final LockSnapshot LOCK = new LockSnapshot(List.of("k"), null, LockMode.EXCLUSIVE, "me:1", "main",
			Instant.now(), Duration.ZERO, 0, 1);

	@Test
	void whatAListenerThrowsIsLoggedOnce() {
		Listeners listeners = listeners(() -> List.of(throwing(), throwing()));
		try (RecordedLog log = new RecordedLog()) {
			for (int i = 0; i < 100; i++) {
				listeners.notAcquired(LockRequest.of("k"), Duration.ZERO, NotAcquiredReason.TIMEOUT);
			}
			assertThat(log.lines("A lock listener threw an exception")).as("each of the two")
				.hasSize(2)
				.allMatch(Line::hasTrace);
		}
	}

	@Test
	void listenerThatHangsDelaysNoOther() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		Listeners listeners = listeners(
				() -> List.of(onReleased(() -> Threads.await(end)), onReleased(told::incrementAndGet)));
		release(listeners, 2 * Listeners.MOST_THREADS);
		await().until(() -> told.get() == 2 * Listeners.MOST_THREADS);
		end.countDown();
	}

	@Test
	void listenerThatHangsKeepsNoMoreThanSoManyEvents() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		Listeners listeners = listeners(() -> List.of(onReleased(() -> {
			Threads.await(end);
			told.incrementAndGet();
		})));
		try (RecordedLog log = new RecordedLog()) {
			release(listeners, Listeners.MOST_CALLS + 100);
			assertThat(log.lines("A lock listener does not return")).hasSize(1);
			end.countDown();
			listeners.awaitTold(Duration.ofMinutes(1));
			assertThat(told).hasValue(Listeners.MOST_CALLS);
			release(listeners, 1);
			await().until(() -> told.get() == Listeners.MOST_CALLS + 1);
			assertThat(log.lines("A lock listener does not return")).hasSize(1);
		}
	}

	private static Listeners listeners(Supplier<List<LockListener>> listeners) {
		return new Listeners(listeners, new EngineListener[0], background());
	}

	private static Background background() {
		return new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "test-timer");
	}

	private static void release(Listeners listeners, int times) {
		for (int i = 0; i < times; i++) {
			listeners.released(LOCK, Duration.ZERO, ReleaseResult.RELEASED, true);
		}
	}

	private static LockListener onReleased(Runnable action) {
		return new LockListener() {

			@Override
			public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
				action.run();
			}

		};
	}

	private static LockListener throwing() {
		return new LockListener() {

			@Override
			public void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
				throw new IllegalStateException("broken");
			}

		};
	}

}
