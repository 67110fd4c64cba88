package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.holdfast.LockRequest;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How a thread sleeps while it waits for a lock.
 */
class CallingThreadTests {

	private final OneThread runtime = new OneThread();

	private final CallingThread caller = CallingThread.interruptible(this.runtime,
			new Deadline(this.runtime, Duration.ofDays(1), new Shutdown(this.runtime)));

	/**
	 * From the template to the store.
	 */
	@Test
	void asksForAFreeLockThroughFewFrames() {
		FaultyStore store = new FaultyStore(new LocalLockStore(new LocalLocks()));
		List<String> frames = new ArrayList<>();
		store.beforeEachRequest(FaultyStore.Operation.ACQUIRE, () -> StackWalker.getInstance()
			.forEach((frame) -> frames.add(frame.getClassName() + "." + frame.getMethodName())));
		try (TestInstance instance = new TestInstance((id) -> store)) {
			instance.template().acquire(LockRequest.of("key")).close();
		}
		int first = frames.lastIndexOf("io.holdfast.engine.FaultyStore.acquire") + 1;
		assertThat(frames.subList(first, frames.indexOf("io.holdfast.LockTemplate.acquire") + 1))
			.allMatch((frame) -> frame.startsWith("io.holdfast."))
			.hasSizeLessThanOrEqualTo(9);
	}

	@Test
	void sleeps() throws Exception {
		this.caller.sleep(5);
		assertThat(this.runtime.nanos).isEqualTo(5);
		assertThat(this.runtime.unparked).hasValue(0);
	}

	@Test
	void doesNotSleepWhenWokenBefore() throws Exception {
		this.caller.wake();
		this.caller.sleep(Long.MAX_VALUE);
		assertThat(this.runtime.nanos).isZero();
		this.caller.sleep(5);
		assertThat(this.runtime.nanos).isEqualTo(5);
	}

	@Test
	void isWokenInItsSleep() throws Exception {
		this.runtime.meanwhile = this.caller::wake;
		this.caller.sleep(Long.MAX_VALUE);
		assertThat(this.runtime.unparked).hasValue(1);
		assertThat(this.runtime.yielded).isZero();
	}

	@Test
	void staysAwakeForAMomentInsteadOfSleeping() throws Exception {
		this.caller.wakeEarly();
		this.caller.sleep(Long.MAX_VALUE);
		assertThat(this.runtime.nanos).isEqualTo(Duration.ofNanos(50_000).toNanos());
		assertThat(this.runtime.parked).isZero();
		this.caller.sleep(5);
		assertThat(this.runtime.parked).isOne();
	}

	@Test
	void staysAwakeAfterItsSleepWasEndedEarly() throws Exception {
		this.runtime.meanwhile = this.caller::wakeEarly;
		this.caller.sleep(Long.MAX_VALUE);
		assertThat(this.runtime.unparked).hasValue(1);
		assertThat(this.runtime.yielded).isEqualTo(5);
	}

	@Test
	void isWokenWithoutTheSchedulerWhileItStaysAwake() throws Exception {
		this.caller.wakeEarly();
		this.runtime.meanwhile = this.caller::wake;
		this.caller.sleep(Long.MAX_VALUE);
		assertThat(this.runtime.yielded).isOne();
		assertThat(this.runtime.unparked).hasValue(0);
	}

	@Test
	void noticesAnInterruptAfterItHasStayedAwake() {
		this.caller.wakeEarly();
		this.runtime.meanwhile = () -> Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.caller.sleep(Long.MAX_VALUE));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.runtime.yielded).isEqualTo(5);
	}

	/**
	 * A runtime whose time goes by when its only thread does nothing.
	 */
	private static final class OneThread implements EngineRuntime {

		private static final long YIELD = 10_000;

		private final AtomicInteger unparked = new AtomicInteger();

		private long nanos;

		private int parked;

		private int yielded;

		private Runnable meanwhile = () -> {
		};

		@Override
		public long nanos() {
			return this.nanos;
		}

		@Override
		public void park(Object blocker, long nanos) {
			this.parked++;
			int before = this.unparked.get();
			this.meanwhile.run();
			if (this.unparked.get() == before) {
				this.nanos += nanos;
			}
		}

		@Override
		public void unpark(@Nullable Thread thread) {
			assertThat(thread).isSameAs(Thread.currentThread());
			this.unparked.incrementAndGet();
		}

		@Override
		public void yield() {
			this.yielded++;
			this.nanos += YIELD;
			if (this.parked == 0) {
				this.meanwhile.run();
			}
		}

		@Override
		public Lock newLock() {
			return new ReentrantLock();
		}

		@Override
		public EngineTimer newTimer(String name, int threads) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Executor newExecutor(String name, int threads) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Executor newUnlimitedExecutor(String name) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void endIdleThreads() {
			throw new UnsupportedOperationException();
		}

	}

}
