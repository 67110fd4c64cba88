package io.holdfast.concurrent;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * Time and threads of an engine: its clock, how its callers sleep, and what runs in the
 * background. The engine has no other way to either, so that all of it can run in a
 * simulation.
 *
 * @since 0.1.0
 */
public interface EngineRuntime extends MonotonicClock {

	/**
	 * Return the threads of the running JVM with a clock.
	 * @param clock the clock
	 * @return the runtime
	 */
	static EngineRuntime of(MonotonicClock clock) {
		return new SystemRuntime(clock);
	}

	/**
	 * Park the current thread until it is unparked or interrupted, or for a time. May
	 * return without reason.
	 * @param blocker what the thread waits for, for those who look at threads
	 * @param nanos how long to park at most; {@link Long#MAX_VALUE} for no limit
	 */
	void park(Object blocker, long nanos);

	/**
	 * Have a thread return from {@link #park}, or not park the next time.
	 * @param thread the thread, or {@code null} for none
	 */
	void unpark(@Nullable Thread thread);

	/**
	 * Let other threads run, and go on soon.
	 */
	void yield();

	/**
	 * Create a reentrant lock.
	 * @return the lock
	 */
	Lock newLock();

	/**
	 * Create a thread that runs tasks at their time, and ends when there is nothing to
	 * do. Once shut down, it forgets what it is given.
	 * @param name its name
	 * @return the timer
	 */
	ScheduledExecutorService newTimer(String name);

	/**
	 * Create an executor of daemon threads, which end when there is nothing to do.
	 * @param name the name of its threads
	 * @param threads how many there are at most
	 * @return the executor
	 */
	Executor newExecutor(String name, int threads);

	/**
	 * Create an executor of as many daemon threads as there are tasks at a time.
	 * @param name the name of its threads
	 * @return the executor
	 */
	Executor newUnlimitedExecutor(String name);

	/**
	 * Let the threads of executors end as soon as they have nothing to do from now on.
	 */
	void endIdleThreads();

}
