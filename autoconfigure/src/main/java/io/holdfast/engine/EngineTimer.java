package io.holdfast.engine;

import java.util.concurrent.Executor;

/**
 * Runs tasks now or at their time.
 *
 * @since 0.1.0
 */
public interface EngineTimer extends Executor {

	Timing schedule(Runnable task, long nanos);

	/**
	 * Forget what has not begun, and what comes later.
	 */
	void shutdown();

	/**
	 * A task that is to be run.
	 */
	interface Timing {

		void cancel();

	}

}
