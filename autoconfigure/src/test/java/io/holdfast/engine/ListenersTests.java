package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockListener;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;
import io.holdfast.concurrent.Background;
import io.holdfast.concurrent.EngineRuntime;
import io.holdfast.concurrent.MonotonicClock;
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

	@Test
	void whatAListenerThrowsIsLoggedOnce() {
		Listeners listeners = new Listeners(() -> List.of(throwing(), throwing()),
				new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "test-timer"));
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
	void failureOfACallerIsNotHiddenWhenThereCanBeNoListeners() {
		Listeners listeners = new Listeners(() -> {
			throw new IllegalStateException("no listeners");
		}, new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "test-timer"));
		try (RecordedLog log = new RecordedLog()) {
			listeners.notAcquired(LockRequest.of("k"), Duration.ZERO, NotAcquiredReason.TIMEOUT);
			assertThat(log.lines("A lock listener threw an exception")).hasSize(1);
		}
	}

	@Test
	void listenerThatHangsDelaysNoOther() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		Listeners listeners = new Listeners(
				() -> List.of(onReleased(() -> Threads.await(end)), onReleased(told::incrementAndGet)),
				new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "test-timer"));
		LockSnapshot lock = new LockSnapshot(List.of("k"), null, LockMode.EXCLUSIVE, "me:1", "main", Instant.now(),
				Duration.ZERO, 0, 1);
		for (int i = 0; i < 2 * Listeners.MOST_THREADS; i++) {
			listeners.released(lock, Duration.ZERO, ReleaseResult.RELEASED, true);
		}
		await().until(() -> told.get() == 2 * Listeners.MOST_THREADS);
		end.countDown();
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
