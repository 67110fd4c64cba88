package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockLostException;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Locked methods that Spring runs on other threads.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class WorkerThreadTests {

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Warehouse.class, Workers.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	@AfterEach
	void close() {
		this.warehouse.work().complete("done");
		this.context.close();
	}

	private boolean isLocked(String key) {
		return LocalApplication.isLocked(this.context, key);
	}

	@Test
	void asyncMethodLocksOnTheThreadThatDoesTheWork() {
		this.warehouse.clean("a");
		Threads.await(this.warehouse.begun());
		assertThat(this.warehouse.thread().getName()).isNotEqualTo(Thread.currentThread().getName())
			.doesNotStartWith("holdfast-");
		assertThat(isLocked("a")).isTrue();
		this.warehouse.work().complete("cleaned");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void asyncMethodWhoseThreadIsInterruptedLocksUntilItsFutureCompletes() {
		CompletableFuture<String> result = this.warehouse.move("a");
		Threads.await(this.warehouse.begun());
		Thread worker = this.warehouse.thread();
		assertThat(worker.getName()).isNotEqualTo(Thread.currentThread().getName()).doesNotStartWith("holdfast-");
		worker.interrupt();
		await().until(() -> !worker.isInterrupted() && worker.getState() == Thread.State.WAITING);
		assertThat(isLocked("a")).isTrue();
		this.warehouse.work().complete("moved");
		assertThat(Threads.join(result)).isEqualTo("moved");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void asyncMethodWhoseFutureFailsEnds() {
		CompletableFuture<String> result = this.warehouse.move("a");
		this.warehouse.work().completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result)).withMessage("business");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void asyncMethodThatIsInterruptedWithoutItsLockEnds() {
		CompletableFuture<String> result = this.warehouse.moveQuickly("a");
		Threads.await(this.warehouse.begun());
		await().until(() -> !isLocked("a"));
		this.warehouse.thread().interrupt();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Threads.join(result));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Workers {

	}

	static class Warehouse {

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private final CountDownLatch begun = new CountDownLatch(1);

		private volatile Thread thread = Thread.currentThread();

		CompletableFuture<String> work() {
			return this.work;
		}

		CountDownLatch begun() {
			return this.begun;
		}

		Thread thread() {
			return this.thread;
		}

		@Async
		@DistributedLock("#key")
		public void clean(String key) {
			LockAssert.assertHeld(key);
			begin();
			Threads.join(this.work);
		}

		@Async
		@DistributedLock("#key")
		public CompletableFuture<String> move(String key) {
			LockAssert.assertHeld(key);
			begin();
			return this.work;
		}

		@Async
		@DistributedLock(key = "#key", lease = "200ms", autoRenew = false)
		public CompletableFuture<String> moveQuickly(String key) {
			begin();
			return this.work;
		}

		private void begin() {
			this.thread = Thread.currentThread();
			this.begun.countDown();
		}

	}

}
