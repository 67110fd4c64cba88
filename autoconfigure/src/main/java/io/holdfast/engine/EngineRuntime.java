package io.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * Clock and threads of an engine. The engine has no other way to either, so that all of
 * it can run in a simulation.
 *
 * @since 0.1.0
 */
public interface EngineRuntime extends MonotonicClock {

	/**
	 * As many threads as there are tasks.
	 */
	int UNLIMITED = Integer.MAX_VALUE;

	static EngineRuntime of(MonotonicClock clock) {
		return new SystemRuntime(clock);
	}

	/**
	 * Park the current thread until it is unparked or interrupted, or for so many
	 * nanoseconds ({@link Long#MAX_VALUE} for no limit). May return without reason.
	 */
	void park(Object blocker, long nanos);

	/**
	 * Have a thread return from {@link #park}, or not park the next time.
	 */
	void unpark(@Nullable Thread thread);

	Lock newLock();

	/**
	 * Create threads that run tasks at their time, for work that is not a caller's: it is
	 * no part of the request that the scheduling thread serves.
	 */
	EngineTimer newTimer(String name, int threads);

	/**
	 * Create threads for what callers give to them: so many, or {@link #UNLIMITED one}
	 * for each task.
	 */
	Executor newExecutor(String name, int threads);

	/**
	 * Let the threads of executors end as soon as they are idle from now on.
	 */
	void endIdleThreads();

}
