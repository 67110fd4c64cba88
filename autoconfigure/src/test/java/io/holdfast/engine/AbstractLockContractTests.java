package io.holdfast.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Who gets a lock, who gets in again, who waits, and what releases do.
 */
public abstract class AbstractLockContractTests extends AbstractStoreTests {

	@Test
	void registryTriesOnceUnlessTheRequestSaysHowLongToWait() {
		LockHandle handle = this.two.template().acquire(this.key);
		long start = System.nanoTime();
		assertThat(this.one.registry().tryAcquire(request())).isEmpty();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TestInstance.WAIT_FOR);
		CompletableFuture<Optional<LockHandle>> waiter = Threads
			.start(() -> this.one.registry().tryAcquire(request().waitForever()));
		await().until(() -> this.one.registry().status().waiting() == 1);
		handle.close();
		assertThat(Threads.join(waiter)).isPresent();
	}

	@Test
	void failureSaysWhatTheRequestWasFor() {
		LockHandle handle = this.two.template().acquire(this.key);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.template().acquire(oneTry()))
			.withMessageContaining("is not free (tried once)")
			.matches(LockNotAcquiredException::isOneTry)
			.satisfies((failure) -> {
				assertThat(failure.getKey()).isEqualTo(this.key);
				assertThat(failure.getWaited()).isLessThan(Duration.ofSeconds(10));
				assertThat(failure.getHolder()).isEqualTo(this.two.id() + ":" + Thread.currentThread().getId());
			});
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ofMillis(200))))
			.withMessageContaining("was not acquired within")
			.matches((failure) -> !failure.isOneTry())
			.satisfies((failure) -> assertThat(failure.getWaited()).isBetween(Duration.ofMillis(200),
					Duration.ofSeconds(10)));
		handle.close();
	}

	@Test
	void describesWhatIsHeld() {
		try (LockHandle handle = this.one.template().acquire(request().name("orders"))) {
			assertThat(handle.keys()).containsExactly("orders:" + this.key);
			assertThat(handle.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(handle.holdCount()).isOne();
			assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
			assertThat(handle.fencingToken("orders:" + this.key)).isEqualTo(handle.fencingToken());
			assertThatIllegalArgumentException().isThrownBy(() -> handle.fencingToken("oth\ner"))
				.withMessageContaining("'oth\\ner'");
			assertThat(this.one.registry().held()).singleElement().satisfies((LockSnapshot lock) -> {
				assertThat(lock.keys()).containsExactly("orders:" + this.key);
				assertThat(lock.name()).isEqualTo("orders");
				assertThat(lock.owner()).isEqualTo(this.one.id() + ":" + Thread.currentThread().getId());
				assertThat(lock.threadName()).isEqualTo(Thread.currentThread().getName());
				assertThat(lock.holdCount()).isOne();
				assertThat(lock.fencingToken()).isEqualTo(handle.fencingToken());
			});
		}
		assertThat(this.one.registry().held()).isEmpty();
	}

	@Test
	void isReentrantForItsThread() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(oneTry());
		assertThat(inner.holdCount()).isEqualTo(2);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(inner.isHeld()).isFalse();
		assertThat(outer.isHeld()).isTrue();
		assertThat(outer.holdCount()).isOne();
		assertThat(isFreeFor(this.two)).isFalse();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void reentersPastWaiters() {
		LockHandle outer = this.one.template().acquire(this.key);
		CompletableFuture<LockHandle> waiter = acquire(this.one, request().ownedByHandle());
		await().until(() -> this.one.registry().status().acquiring() == 1);
		LockHandle inner = this.one.template().acquire(oneTry());
		inner.close();
		outer.close();
		assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void handleBoundHoldIsNotReentrantAndCanBeReleasedByAnyThread() {
		LockHandle handle = this.one.template().acquire(request().ownedByHandle());
		assertThat(this.one.template().tryAcquire(oneTry().ownedByHandle())).isEmpty();
		assertThat(this.one.template().tryAcquire(oneTry())).isEmpty();
		assertThat(Threads.call(handle::release)).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFreeFor(this.one)).isTrue();
	}

	@Test
	void secondReleaseDoesNothing() {
		LockHandle handle = this.one.template().acquire(this.key);
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		LockHandle next = this.one.template().acquire(this.key);
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void releasedHandleSaysSo() {
		LockHandle handle = this.one.template().acquire(this.key);
		handle.close();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.holdCount()).isZero();
		assertThat(handle.remainingLease()).isZero();
		assertThat(handle.extend(Duration.ofSeconds(5))).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld)
			.withMessageContaining("released");
	}

	@Test
	void tokensOfAKeyGrowWithEveryGrant() {
		long last = 0;
		for (int i = 0; i < 50; i++) {
			TestInstance instance = (i % 2 == 0) ? this.one : this.two;
			try (LockHandle handle = instance.template().acquire(this.key)) {
				assertThat(handle.fencingToken()).isGreaterThan(last);
				last = handle.fencingToken();
			}
		}
	}

	@Test
	void executeReleasesWhenTheActionThrows() {
		assertThatThrownBy(() -> this.one.template().execute(this.key, (lock) -> {
			throw new IOException("checked");
		})).isInstanceOf(IOException.class).hasMessage("checked").hasNoSuppressedExceptions();
		assertThat(isFreeFor(this.two)).isTrue();
	}

	@Test
	void tryExecuteMakesOneTry() {
		LockTemplate template = this.two.template();
		assertThat(template.<String, RuntimeException>tryExecute(this.key, (lock) -> "result")).contains("result");
		try (LockHandle handle = this.one.template().acquire(this.key)) {
			long start = System.nanoTime();
			assertThat(template.<String, RuntimeException>tryExecute(this.key, (lock) -> "result")).isEmpty();
			assertThat(template.<String, RuntimeException>tryExecute(request(), (lock) -> "result")).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void interruptEndsTheWait() {
		LockHandle handle = this.one.template().acquire(this.key);
		for (TestInstance instance : List.of(this.one, this.two)) {
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			CompletableFuture<Boolean> waiter = Threads.start(() -> {
				thread.complete(Thread.currentThread());
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> instance.template().acquire(request().waitForever()))
					.withMessageContaining(this.key)
					.withCauseInstanceOf(InterruptedException.class);
				return Thread.interrupted();
			});
			await().until(() -> instance.registry().status().acquiring() == 1);
			Threads.join(thread).interrupt();
			assertThat(Threads.join(waiter)).isTrue();
		}
		assertThat(handle.release()).isEqualTo(ReleaseResult.RELEASED);
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
