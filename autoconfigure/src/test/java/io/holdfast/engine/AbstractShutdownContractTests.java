package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockView;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of locks and waits in a shutdown, and after it.
 */
public abstract class AbstractShutdownContractTests extends AbstractStoreTests {

	@Test
	void shutdownSendsWaitersAwayAndTakesLocksBack() {
		LockHandle handle = Threads.join(acquire(this.one, request().ownedByHandle()));
		List<CompletableFuture<LockHandle>> waiters = List.of(acquire(this.one, request().waitForever()),
				acquire(this.one, request().waitForever()));
		await().until(() -> this.one.registry().status().acquiring() == 2);
		Thread.currentThread().interrupt();
		this.one.registry().stop(Duration.ZERO);
		assertThat(Thread.interrupted()).isTrue();
		for (CompletableFuture<LockHandle> waiter : waiters) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(waiter))
				.withMessageContaining("shutting down");
		}
		assertThat(isFreeFor(this.two)).isTrue();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.release()).isEqualTo(ReleaseResult.LOST);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(this.key));
	}

	@Test
	void shutdownLetsWorkFinish() {
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		CompletableFuture<String> work = Threads.start(() -> this.one.template().execute(this.key, (lock) -> {
			held.countDown();
			Threads.await(stopping);
			assertThat(this.one.registry().lock(this.key).tryLock()).isTrue();
			this.one.registry().lock(this.key).unlock();
			return "finished";
		}));
		Threads.await(held);
		CompletableFuture<Boolean> stop = Threads.start(() -> {
			this.one.registry().stop(Duration.ofSeconds(30));
			return true;
		});
		await().until(() -> isClosed(this.one));
		stopping.countDown();
		assertThat(Threads.join(work)).isEqualTo("finished");
		assertThat(Threads.join(stop)).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void sectionThatShutsDownIsNotWaitedForAndLosesNothing() {
		LockRequest read = LockRequest.of(this.key + "-read").shared();
		CountDownLatch stopping = new CountDownLatch(1);
		CompletableFuture<ReleaseResult> other = Threads.start(() -> {
			LockHandle handle = this.one.template().acquire(this.key + "-other");
			Threads.await(stopping);
			return handle.release();
		});
		await().until(() -> this.one.registry().held().size() == 1);
		LockView view = this.one.registry().lock(this.key + "-view");
		view.lock();
		LockHandle outer = this.one.template().acquire(read);
		long begin = System.nanoTime();
		String result = this.one.template()
			.execute(this.key, (lock) -> this.one.template().execute(this.key, (nested) -> {
				stopping.countDown();
				this.one.registry().stop(Duration.ofMinutes(5));
				assertThat(nested.isHeld()).isFalse();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(nested::ensureHeld)
					.withStackTraceContaining("its own section has ended the application");
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(this.one.registry()::ensureHeldByCurrentThread);
				assertThat(isFreeFor(this.two)).isTrue();
				assertThat(nested.release()).isEqualTo(ReleaseResult.RELEASED);
				return "done";
			}));
		assertThat(result).isEqualTo("done");
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(4));
		assertThat(Threads.join(other)).isEqualTo(ReleaseResult.RELEASED);
		view.unlock();
		outer.close();
		this.one.registry().ensureHeldByCurrentThread();
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void waitsEndSomeTimeAfterAShutdownHasBegun() {
		LockHandle handle = this.two.template().acquire(this.key);
		List<CompletableFuture<LockHandle>> waiters = List.of(acquire(this.one, request().waitForever()),
				acquire(this.one, request().waitForever()), acquire(this.one, request().fair().waitForever()),
				this.one.template().acquireAsync(request().waitForever()));
		await().until(() -> this.one.registry().status().waiting() == 4);
		this.one.registry().limitWaits(Duration.ofMillis(50));
		assertThat(waiters).allSatisfy((waiter) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Threads.join(waiter))
			.withMessageContaining("shutting down"));
		handle.close();
		await().until(() -> isFreeFor(this.one));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitsHaveNoEndAnyMoreWhenStartedAgain(boolean stopped) {
		LockHandle handle = this.two.template().acquire(this.key);
		this.one.registry().limitWaits(Duration.ZERO);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(this.key));
		if (stopped) {
			this.one.registry().stop(Duration.ZERO);
		}
		this.one.registry().start();
		CompletableFuture<ReleaseResult> waiter = Threads.start(() -> this.one.template().acquire(this.key).release());
		await().until(() -> this.one.registry().status().waiting() == 1);
		handle.close();
		assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void hasAnotherIdWhenStartedAgain() {
		String earlier = this.one.id();
		LockHandle before = this.one.template().acquire(this.key);
		this.one.registry().stop(Duration.ZERO);
		this.one.registry().start();
		LockHandle after = this.one.template().acquire(this.key);
		assertThat(this.one.id()).isNotEqualTo(earlier).isEqualTo(this.one.registry().status().instanceId());
		assertThat(this.one.registry().held()).extracting(LockSnapshot::owner)
			.containsExactly(this.one.id() + ":" + Thread.currentThread().getId());
		assertThat(before.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(after.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private boolean isClosed(TestInstance instance) {
		try {
			instance.template()
				.tryAcquire(LockRequest.of(this.key + "-probe").waitFor(Duration.ZERO))
				.ifPresent(LockHandle::close);
			return false;
		}
		catch (LockUnavailableException ex) {
			return true;
		}
	}

}
