package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.simulation.schedule.Chance;

/**
 * What callers ask for, and for how long.
 *
 * @param keys what they lock
 * @param rounds how often each asks
 * @param meanPause between two rounds, in nanoseconds
 * @param meanSection how long a section takes, in nanoseconds
 * @param meanWait how long short waits are, in nanoseconds
 * @param lease lease of most requests
 * @param shared how many in ten requests share
 * @param fair how many in ten requests are fair
 * @param nested how many in ten sections have others inside
 * @param odd how many in a hundred requests have terms of their own: how long to hold at
 * least and at most, whether to renew
 * @param abandoned how many in a hundred callers end without having released
 */
public record Mix(List<String> keys, int rounds, long meanPause, long meanSection, long meanWait, Duration lease,
		int shared, int fair, int nested, int odd, int abandoned) {

	private static final long MICROS = 1_000;

	/**
	 * Return any mix.
	 */
	public static Mix any(Chance chance) {
		List<String> keys = List.of("k", "l", "m").subList(0, (int) chance.of(1, 2, 2, 3));
		boolean isLong = chance.oneIn(8);
		return new Mix(keys, isLong ? 3 : chance.between(4, 14), chance.of(0, 100, 2_000) * MICROS,
				(isLong ? 1_000_000 : chance.of(50, 500, 5_000)) * MICROS, chance.of(300, 2_000, 10_000) * MICROS,
				Duration.ofMillis(chance.of(300, 1_000, 3_000, 30_000)), (int) chance.of(0, 2, 5),
				(int) chance.of(0, 2, 5), (int) chance.of(0, 2, 4), (int) chance.of(0, 0, 10, 30),
				(int) chance.of(0, 0, 5));
	}

	/**
	 * Return the same mix of locks that are asked for without terms of their own.
	 */
	public Mix plain() {
		return new Mix(this.keys, this.rounds, this.meanPause, this.meanSection, this.meanWait, Duration.ofSeconds(30),
				this.shared, this.fair, this.nested, 0, 0);
	}

}
