package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.test.Threads;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * How waits for locks of all kinds end without the lock.
 */
abstract class AbstractWaitingTests extends AbstractStoreTests {

	@ParameterizedTest
	@EnumSource
	void interruptEndsAnInterruptibleWait(View view) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			thread.complete(Thread.currentThread());
			view.of(this.one, this.key, other()).lockInterruptibly();
			return true;
		});
		awaitQueued(this.key, 1);
		Threads.join(thread).interrupt();
		assertThatIllegalStateException().isThrownBy(() -> Threads.join(waiter))
			.withCauseInstanceOf(InterruptedException.class);
		awaitQueued(this.key, 0);
		blocking.release();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void interruptIsKeptForLater(View view) {
		LockHandle blocking = this.two.template().acquire(exclusive());
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			Lock lock = view.of(this.one, this.key, other());
			thread.complete(Thread.currentThread());
			lock.lock();
			boolean interrupted = Thread.interrupted();
			lock.unlock();
			return interrupted;
		});
		awaitQueued(this.key, 1);
		Threads.join(thread).interrupt();
		await().during(Duration.ofMillis(100)).until(() -> !waiter.isDone());
		blocking.release();
		assertThat(Threads.join(waiter)).isTrue();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void triesForAsLongAsItIsTold(View view) throws InterruptedException {
		Lock lock = view.of(this.one, this.key, other());
		LockHandle blocking = this.two.template().acquire(exclusive());
		assertThat(lock.tryLock()).isFalse();
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
		long begin = System.nanoTime();
		assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(200),
				Duration.ofSeconds(20));
		awaitQueued(this.key, 0);
		CompletableFuture<Boolean> waiter = Threads.start(() -> {
			boolean acquired = view.of(this.one, this.key, other()).tryLock(Long.MAX_VALUE, TimeUnit.DAYS);
			view.of(this.one, this.key, other()).unlock();
			return acquired;
		});
		awaitQueued(this.key, 1);
		blocking.release();
		assertThat(Threads.join(waiter)).isTrue();
		assertThat(isDenied(this.two, both())).isFalse();
	}

	/**
	 * The views of a key, or of it and another.
	 */
	enum View {

		PLAIN, READ, WRITE, FAIR, MULTI;

		Lock of(TestInstance instance, String key, String other) {
			return switch (this) {
				case PLAIN -> instance.registry().lock(key);
				case READ -> instance.registry().readWriteLock(key).readLock();
				case WRITE -> instance.registry().readWriteLock(key).writeLock();
				case FAIR -> instance.registry().fairLock(key);
				case MULTI -> instance.registry().multiLock(key, other);
			};
		}

	}

}
