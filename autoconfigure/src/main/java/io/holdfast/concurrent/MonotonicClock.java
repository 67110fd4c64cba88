package io.holdfast.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A clock that runs forward only and is never set. All deadlines are on it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MonotonicClock {

	/**
	 * The clock of the running JVM.
	 */
	MonotonicClock SYSTEM = System::nanoTime;

	/**
	 * Return the present time.
	 * @return nanoseconds since an arbitrary moment; only differences have a meaning
	 */
	long nanos();

	/**
	 * Convert a duration, however long, to nanoseconds that can safely be added to a
	 * reading of the clock.
	 * @param duration the duration
	 * @return nanoseconds, at most about 146 years of them in either direction
	 */
	static long toNanos(Duration duration) {
		long longest = Long.MAX_VALUE / 2;
		if (duration.toSeconds() >= TimeUnit.NANOSECONDS.toSeconds(longest)) {
			return longest;
		}
		return (duration.toSeconds() > -TimeUnit.NANOSECONDS.toSeconds(longest)) ? duration.toNanos() : -longest;
	}

	/**
	 * Return the later of two readings.
	 * @param one a reading
	 * @param other another one
	 * @return the later
	 */
	static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	/**
	 * Return the earlier of two readings.
	 * @param one a reading
	 * @param other another one
	 * @return the earlier
	 */
	static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

}
