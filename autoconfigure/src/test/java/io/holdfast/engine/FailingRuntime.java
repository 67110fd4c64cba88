package io.holdfast.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

import io.holdfast.concurrent.EngineRuntime;
import io.holdfast.concurrent.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * A runtime without memory or CPU, at times: its clock, its threads and its executors
 * throw when a test says so.
 */
public final class FailingRuntime implements EngineRuntime {

	private final EngineRuntime system = EngineRuntime.of(MonotonicClock.SYSTEM);

	private final AtomicInteger failingStarts = new AtomicInteger();

	private final Map<String, AtomicInteger> refusals = new ConcurrentHashMap<>();

	private volatile boolean runsRefused;

	private final AtomicLong pause = new AtomicLong();

	private final AtomicLong paused = new AtomicLong();

	private volatile BooleanSupplier failingClock = () -> false;

	/**
	 * Say when a look at the clock fails.
	 */
	void failClock(BooleanSupplier when) {
		this.failingClock = when;
	}

	/**
	 * Have everything stand still before a thread of the engine sleeps the next time,
	 * after it has looked at the clock.
	 */
	void pauseBeforeSleep(Duration pause) {
		this.pause.set(pause.toNanos());
	}

	/**
	 * Return whether everything has stood still.
	 */
	boolean hasPaused() {
		return this.pause.get() == 0;
	}

	/**
	 * Have the next threads not start.
	 */
	public void failStarts(int times) {
		this.failingStarts.set(times);
	}

	/**
	 * Have executors refuse the next tasks.
	 * @param name the name of their threads
	 */
	void refuseTasks(String name, int times) {
		this.refusals.computeIfAbsent(name, (n) -> new AtomicInteger()).set(times);
	}

	/**
	 * Have an executor refuse the next tasks, and run each second of them all the same.
	 * @param name the name of its threads
	 */
	void refuseAndRunTasks(String name, int times) {
		this.runsRefused = true;
		refuseTasks(name, times);
	}

	/**
	 * Return whether an executor has taken a task after those that it was to refuse.
	 */
	boolean hasTaken(String name) {
		return this.refusals.getOrDefault(name, new AtomicInteger()).get() < 0;
	}

	/**
	 * Return whether all has failed that was to fail.
	 */
	public boolean hasFailed() {
		return this.failingStarts.get() <= 0 && this.refusals.values().stream().allMatch((left) -> left.get() <= 0);
	}

	/**
	 * Return whether the current thread is one of the engine's.
	 */
	static boolean isInBackground() {
		return Thread.currentThread().getName().startsWith("holdfast-");
	}

	@Override
	public long nanos() {
		if (this.failingClock.getAsBoolean()) {
			throw new OutOfMemoryError("Java heap space");
		}
		return this.system.nanos() + this.paused.get();
	}

	@Override
	public void park(Object blocker, long nanos) {
		if (isInBackground()) {
			this.paused.addAndGet(this.pause.getAndSet(0));
		}
		this.system.park(blocker, nanos);
	}

	@Override
	public void unpark(@Nullable Thread thread) {
		this.system.unpark(thread);
	}

	@Override
	public void yield() {
		this.system.yield();
	}

	@Override
	public Lock newLock() {
		return this.system.newLock();
	}

	@Override
	public Thread newThread(String name, Runnable task) {
		return new Thread(task, name) {

			@Override
			public synchronized void start() {
				if (FailingRuntime.this.failingStarts.getAndDecrement() > 0) {
					throw new OutOfMemoryError("unable to create native thread");
				}
				setDaemon(true);
				super.start();
			}

		};
	}

	@Override
	public Executor newExecutor(String name, int threads) {
		return refusing(name, this.system.newExecutor(name, threads));
	}

	@Override
	public Executor newUnlimitedExecutor(String name) {
		return refusing(name, this.system.newUnlimitedExecutor(name));
	}

	private Executor refusing(String name, Executor executor) {
		AtomicInteger left = this.refusals.computeIfAbsent(name, (n) -> new AtomicInteger());
		return (task) -> {
			int refusals = left.getAndDecrement();
			if (refusals <= 0 || (this.runsRefused && refusals % 2 == 0)) {
				executor.execute(task);
			}
			if (refusals > 0) {
				throw new OutOfMemoryError("unable to create native thread");
			}
		};
	}

}
