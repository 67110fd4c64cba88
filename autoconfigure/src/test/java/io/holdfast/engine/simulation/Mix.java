package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.List;

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
record Mix(List<String> keys, int rounds, long meanPause, long meanSection, long meanWait, Duration lease, Kinds kinds,
		int abandoned) {

	private static final long SECOND = 1_000_000_000;

	/**
	 * Return any mix. Times are about as long as calls take, so that most of what takes
	 * place at all takes place at the same time.
	 * @param call how long a call of the store takes
	 */
	static Mix any(Chance chance, long call) {
		List<String> keys = List.of("k", "l", "m").subList(0, (int) chance.of(1, 1, 2, 3));
		boolean isLong = chance.oneIn(8);
		return new Mix(keys, isLong ? 3 : chance.between(5, 20), chance.of(0, 0, 1, 10, 200) * call,
				isLong ? SECOND : chance.of(1, 3, 10, 40) * call / 10, chance.of(5, 10, 30) * call / 10,
				Duration.ofMillis(chance.of(300, 1_000, 3_000, 30_000)), Kinds.any(chance), (int) chance.of(0, 0, 5));
	}

	Mix plain() {
		return new Mix(this.keys, this.rounds, this.meanPause, this.meanSection, this.meanWait, Duration.ofSeconds(30),
				this.kinds.plain(), 0);
	}

	/**
	 * How many in a hundred requests are of a kind. Many mixes lack some kinds, so that
	 * there are more of the others.
	 *
	 * @param fair are fair, if they want one key
	 * @param byHandle are owned by the handle
	 * @param byView go through a view of the lock, where there is one
	 * @param nested are made in a section
	 * @param odd have terms of their own: how long to hold at least and at most, whether
	 * to renew
	 * @param endless wait without limit
	 * @param permits how many holders there may be at most with half of those that share;
	 * 0 for none that limit it
	 */
	record Kinds(int shared, int fair, int several, int byHandle, int asynchronous, int byView, int nested, int odd,
			int endless, int permits) {

		private static Kinds any(Chance chance) {
			return new Kinds(some(chance), some(chance), some(chance), some(chance), some(chance), some(chance),
					some(chance), some(chance) / 2, some(chance) / 2, (int) chance.of(0, 1, 2, 3));
		}

		private static int some(Chance chance) {
			return (int) chance.of(0, 10, 10, 30);
		}

		private Kinds plain() {
			return new Kinds(this.shared, this.fair, this.several, this.byHandle, this.asynchronous, this.byView,
					this.nested, 0, this.endless, this.permits);
		}

	}

}
