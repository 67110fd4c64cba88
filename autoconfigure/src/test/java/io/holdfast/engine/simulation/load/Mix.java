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
 * @param kinds of which kinds requests are
 * @param abandoned how many in a hundred callers end without having released
 */
public record Mix(List<String> keys, int rounds, long meanPause, long meanSection, long meanWait, Duration lease,
		Kinds kinds, int abandoned) {

	private static final long SECOND = 1_000_000_000;

	/**
	 * Return any mix. Times are about as long as calls take, so that most of what takes
	 * place at all takes place at the same time.
	 * @param call how long a call of the store takes
	 */
	public static Mix any(Chance chance, long call) {
		List<String> keys = List.of("k", "l", "m").subList(0, (int) chance.of(1, 1, 2, 3));
		boolean isLong = chance.oneIn(8);
		return new Mix(keys, isLong ? 3 : chance.between(5, 20), chance.of(0, 0, 1, 10, 200) * call,
				isLong ? SECOND : chance.of(1, 3, 10, 40) * call / 10, chance.of(5, 10, 30) * call / 10,
				Duration.ofMillis(chance.of(300, 1_000, 3_000, 30_000)), Kinds.any(chance), (int) chance.of(0, 0, 5));
	}

	/**
	 * Return the same mix of locks that are asked for without terms of their own.
	 */
	public Mix plain() {
		return new Mix(this.keys, this.rounds, this.meanPause, this.meanSection, this.meanWait, Duration.ofSeconds(30),
				this.kinds.plain(), 0);
	}

}
