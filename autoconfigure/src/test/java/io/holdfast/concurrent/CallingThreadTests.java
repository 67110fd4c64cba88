package io.holdfast.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a thread sleeps while it waits for a lock.
 */
@Timeout(30)
class CallingThreadTests {

	private final EngineRuntime runtime = EngineRuntime.of(MonotonicClock.SYSTEM);

	private CallingThread caller() {
		Deadline none = new Deadline(this.runtime, Duration.ofDays(1), new Shutdown(this.runtime));
		return CallingThread.interruptible(this.runtime, none);
	}

	@Test
	void doesNotSleepWhenWokenBefore() throws Exception {
		CallingThread caller = caller();
		caller.wake();
		caller.sleep(Long.MAX_VALUE);
	}

	@Test
	void looksAgainSoonForWhatComesNext() throws Exception {
		CallingThread caller = caller();
		caller.comesNext();
		caller.sleep(Long.MAX_VALUE);
	}

	@Test
	void endsItsSleepForWhatComesNext() {
		CompletableFuture<CallingThread> asleep = new CompletableFuture<>();
		CompletableFuture<Void> end = CompletableFuture.runAsync(() -> sleep(asleep));
		CallingThread caller = asleep.join();
		awaitParked(caller);
		caller.comesNext();
		end.join();
	}

	@Test
	void isWoken() {
		CompletableFuture<CallingThread> asleep = new CompletableFuture<>();
		CompletableFuture<Void> end = CompletableFuture.runAsync(() -> sleep(asleep));
		CallingThread caller = asleep.join();
		awaitParked(caller);
		caller.wake();
		end.join();
	}

	@Test
	void noticesAnInterruptWhileItStaysAwake() {
		CallingThread caller = caller();
		caller.comesNext();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> caller.sleep(Long.MAX_VALUE));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	private void sleep(CompletableFuture<CallingThread> asleep) {
		CallingThread caller = caller();
		asleep.complete(caller);
		try {
			caller.sleep(Long.MAX_VALUE);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void awaitParked(CallingThread caller) {
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> LockSupport.getBlocker(thread) == caller));
	}

}
