package io.holdfast.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What several answers on how long something lasts mean together.
 */
final class Durations {

	private Durations() {
	}

	/**
	 * Return the shortest, or {@code null} when one of them is.
	 */
	static @Nullable Duration shortest(List<@Nullable Duration> durations) {
		Duration shortest = durations.get(0);
		for (Duration duration : durations) {
			if (shortest == null || duration == null) {
				return null;
			}
			shortest = (duration.compareTo(shortest) < 0) ? duration : shortest;
		}
		return shortest;
	}

}
