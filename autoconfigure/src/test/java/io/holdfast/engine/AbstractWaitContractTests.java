package io.holdfast.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How callers wait for a lock, also by the view of java.util.concurrent.
 */
public abstract class AbstractWaitContractTests extends AbstractStoreTests {

	@Test
	void interruptEndsTheWait() throws InterruptedException {
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			for (TestInstance instance : List.of(this.one, this.two)) {
				CompletableFuture<Boolean> flag = new CompletableFuture<>();
				CompletableFuture<Throwable> failure = new CompletableFuture<>();
				Thread waiter = new Thread(() -> {
					try {
						instance.template().acquire(request().waitForever());
					}
					catch (RuntimeException ex) {
						flag.complete(Thread.currentThread().isInterrupted());
						failure.complete(ex);
					}
				});
				waiter.start();
				await().until(() -> instance.registry().status().acquiring() == 1);
				waiter.interrupt();
				assertThat(Threads.join(failure)).isInstanceOf(LockInterruptedException.class)
					.hasMessageContaining(this.key)
					.hasCauseInstanceOf(InterruptedException.class);
				assertThat(Threads.join(flag)).isTrue();
				waiter.join();
			}
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void releaseOnAnInterruptedThreadGoesThrough() {
		LockHandle handle = this.one.template().acquire(this.key);
		Thread.currentThread().interrupt();
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void viewCannotBeUnlockedByAnotherThreadOrWithoutALock() {
		Lock lock = this.one.registry().lock(this.key);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContainingAll(this.key, "is not held by thread");
		try (LockHandle ofTheTemplate = this.one.template().acquire(this.key)) {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
				.withMessageContaining("was not acquired by this view");
			assertThat(ofTheTemplate.isHeld()).isTrue();
		}
		lock.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> Threads.call(() -> {
			lock.unlock();
			return "unlocked";
		}));
		lock.unlock();
	}

	@Test
	void viewHasNoConditions() {
		Lock lock = this.one.registry().lock(this.key);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
	}

}
