package io.holdfast.engine.simulation.load;

import io.holdfast.LockSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Sees all that callers do, and what they are told.
 */
public interface Observer {

	/**
	 * A caller asks for a lock.
	 */
	void asked(Attempt attempt);

	/**
	 * A caller has not got it.
	 * @param failure what was thrown, or {@code null} if it just was not acquired in time
	 */
	void refused(Attempt attempt, @Nullable Throwable failure);

	/**
	 * A caller has got it.
	 */
	void entered(Section section);

	/**
	 * A caller is about to release it.
	 */
	void leaving(Section section);

	/**
	 * A caller has released it.
	 */
	void left(Section section);

	/**
	 * Something has thrown what it should not.
	 */
	void failed(String what, Throwable failure);

	/**
	 * An instance has shut down.
	 * @param late how many nanoseconds that took beyond its grace
	 */
	void stopped(Instance instance, long late);

	/**
	 * An instance has told a loss.
	 */
	void lost(Instance instance, LockSnapshot lock, Throwable cause);

}
