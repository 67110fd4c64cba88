package io.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Threads of the running JVM.
 */
final class SystemRuntime implements EngineRuntime {

	private final MonotonicClock clock;

	SystemRuntime(MonotonicClock clock) {
		this.clock = clock;
	}

	@Override
	public long nanos() {
		return this.clock.nanos();
	}

	@Override
	public void park(Object blocker, long nanos) {
		if (nanos == Pause.NO_END) {
			LockSupport.park(blocker);
		}
		else {
			LockSupport.parkNanos(blocker, nanos);
		}
	}

	@Override
	public void unpark(@Nullable Thread thread) {
		LockSupport.unpark(thread);
	}

	@Override
	public Lock newLock() {
		return new PatientLock();
	}

	@Override
	public Thread newThread(String name, Runnable task) {
		return DaemonThreads.named(name).newThread(task);
	}

	@Override
	public Executor newExecutor(String name, int threads) {
		return DaemonThreads.pool(name, threads, Integer.MAX_VALUE);
	}

	@Override
	public Executor newUnlimitedExecutor(String name) {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, DaemonThreads.IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), DaemonThreads.named(name));
	}

	/**
	 * Waits although there is no memory to do so at the moment: what is done under a lock
	 * must not be left out.
	 */
	private static final class PatientLock extends ReentrantLock {

		private static final long serialVersionUID = 1L;

		@Override
		public void lock() {
			while (true) {
				try {
					super.lock();
					return;
				}
				catch (OutOfMemoryError ex) {
					Thread.yield();
				}
			}
		}

	}

}
