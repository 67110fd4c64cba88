package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tasks at their time, on threads of their own.
 */
class TaskThreadsTests {

	private static final long SOON = Duration.ofMillis(50).toNanos();

	private static final long NEVER = Long.MAX_VALUE;

	private final AtomicInteger made = new AtomicInteger();

	private final List<Thread> all = new CopyOnWriteArrayList<>();

	private final TaskThreads timer = new TaskThreads(this::newThread, 1);

	private Thread newThread(Runnable task) {
		Thread thread = DaemonThreads.named("test-timer").newThread(task);
		thread.setUncaughtExceptionHandler((failed, ex) -> this.made.addAndGet(100));
		this.made.incrementAndGet();
		this.all.add(thread);
		return thread;
	}

	@AfterEach
	void noThreadStays() {
		this.timer.shutdown();
		await().until(() -> this.all.stream().noneMatch(Thread::isAlive));
	}

	@Test
	void tasksRunInTheOrderOfTheirTime() {
		List<String> order = new CopyOnWriteArrayList<>();
		CountDownLatch done = new CountDownLatch(3);
		CountDownLatch begun = new CountDownLatch(1);
		this.timer.execute(() -> Threads.await(begun));
		this.timer.schedule(() -> order.add("never"), NEVER);
		List.of("c", "a", "b").forEach((name) -> this.timer.schedule(() -> {
			order.add(name);
			done.countDown();
		}, name.charAt(0) * 1_000_000L));
		begun.countDown();
		Threads.await(done);
		assertThat(order).containsExactly("a", "b", "c");
	}

	@Test
	void cancelledTaskDoesNotRun() {
		AtomicInteger runs = new AtomicInteger();
		CompletableFuture<Boolean> later = new CompletableFuture<>();
		this.timer.schedule(runs::incrementAndGet, SOON).cancel();
		this.timer.schedule(() -> later.complete(true), 2 * SOON);
		assertThat(Threads.join(later)).isTrue();
		assertThat(runs).hasValue(0);
	}

	@Test
	void threadsThatAreIdleEndAndOthersComeInTheirPlace() {
		TaskThreads several = new TaskThreads(this::newThread, 3);
		CountDownLatch together = new CountDownLatch(3);
		for (int i = 0; i < 9; i++) {
			several.execute(() -> {
				together.countDown();
				Threads.await(together);
			});
		}
		Threads.await(together);
		assertThat(this.made).hasValue(3);
		several.endIdle();
		await().until(() -> this.all.stream().noneMatch(Thread::isAlive));
		CompletableFuture<Boolean> again = new CompletableFuture<>();
		several.execute(() -> again.complete(true));
		assertThat(Threads.join(again)).isTrue();
	}

}
