package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A clock that runs forward only and is never set, as all deadlines need it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MonotonicClock {

	MonotonicClock SYSTEM = System::nanoTime;

	/**
	 * Return nanoseconds since an arbitrary moment.
	 */
	long nanos();

	/**
	 * Convert a duration, however long, to nanoseconds that can be added to a reading of
	 * the clock: at most about 146 years of them.
	 */
	static long toNanos(Duration duration) {
		long longest = Long.MAX_VALUE / 2;
		if (duration.toSeconds() >= TimeUnit.NANOSECONDS.toSeconds(longest)) {
			return longest;
		}
		return (duration.toSeconds() > -TimeUnit.NANOSECONDS.toSeconds(longest)) ? duration.toNanos() : -longest;
	}

	static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

}
