package io.holdfast.engine;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Threads of the running JVM. Their class loader is that of the thread that creates this,
 * which is the application's, not that of a caller who happens to need the first one.
 */
final class SystemRuntime implements EngineRuntime {

	private final Set<ThreadPoolExecutor> executors = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private final Set<TaskThreads> timers = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private final MonotonicClock clock;

	private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	SystemRuntime(MonotonicClock clock) {
		this.clock = clock;
	}

	@Override
	public long nanos() {
		return this.clock.nanos();
	}

	@Override
	public void park(Object blocker, long nanos) {
		if (nanos == Long.MAX_VALUE) {
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
		return new SpinningLock();
	}

	@Override
	public EngineTimer newTimer(String name, int threads) {
		TaskThreads timer = new TaskThreads(named(name), threads);
		this.timers.add(timer);
		return timer;
	}

	@Override
	public Executor newExecutor(String name, int threads) {
		ThreadPoolExecutor executor = (threads == UNLIMITED) ? DaemonThreads.unlimited(named(name))
				: DaemonThreads.pool(named(name), threads, Integer.MAX_VALUE);
		this.executors.add(executor);
		return executor;
	}

	@Override
	public void endIdleThreads() {
		this.executors.forEach(DaemonThreads::endIdle);
		this.timers.forEach(TaskThreads::endIdle);
	}

	private ThreadFactory named(String name) {
		return DaemonThreads.named(name, this.classLoader);
	}

	// Most of what is done under a lock is shorter than parking
	static final class SpinningLock extends ReentrantLock {

		private static final long serialVersionUID = 1L;

		private static final int SPINS = 100;

		@Override
		public void lock() {
			for (int i = 0; i < SPINS; i++) {
				if (tryLock()) {
					return;
				}
				Thread.onSpinWait();
			}
			super.lock();
		}

	}

}
