package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a store is asked in a shutdown: many at a time, each once, and in limited time.
 */
class ShutdownTasksTests {

	private static final EngineRuntime RUNTIME = EngineRuntime.of(MonotonicClock.SYSTEM);

	private static final Duration LONG = Duration.ofMinutes(1);

	private final AtomicInteger sent = new AtomicInteger();

	private final CountDownLatch answered = new CountDownLatch(1);

	@Test
	void eachTaskIsRunOnceAlthoughOneFails() {
		List<BooleanSupplier> tasks = tasks(200, () -> {
			if (this.sent.incrementAndGet() == 100) {
				throw new IllegalStateException("lost");
			}
		});
		new ShutdownTasks(RUNTIME, LONG, LONG).run(tasks);
		assertThat(this.sent).hasValue(200);
	}

	@Test
	void endsWhenTheStoreDoesNotAnswerAtAll() {
		List<BooleanSupplier> tasks = tasks(3, () -> Threads.await(this.answered));
		ShutdownTasks shutdown = new ShutdownTasks(RUNTIME, Duration.ofMillis(200), LONG);
		shutdown.run(tasks);
		assertThat(shutdown.isOver()).isTrue();
		this.answered.countDown();
	}

	private static List<BooleanSupplier> tasks(int count, Runnable call) {
		return IntStream.range(0, count).<BooleanSupplier>mapToObj((i) -> () -> {
			call.run();
			return true;
		}).toList();
	}

}
