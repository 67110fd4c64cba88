package io.holdfast.engine.simulation.load;

import io.holdfast.engine.simulation.schedule.Chance;

/**
 * How many in a hundred requests are of a kind. Many mixes lack some kinds, so that there
 * are more of the others.
 *
 * @param shared share the lock
 * @param fair are fair, if they want one key
 * @param several want several keys, if there are several
 * @param byHandle are owned by the handle
 * @param asynchronous are asynchronous
 * @param byView go through a view of the lock, where there is one
 * @param nested are made in a section
 * @param odd have terms of their own: how long to hold at least and at most, whether to
 * renew
 * @param endless wait without limit
 * @param permits how many holders there may be at most with half of those that share; 0
 * for none that limit it
 */
public record Kinds(int shared, int fair, int several, int byHandle, int asynchronous, int byView, int nested, int odd,
		int endless, int permits) {

	/**
	 * Return any kinds.
	 */
	static Kinds any(Chance chance) {
		return new Kinds(some(chance), some(chance), some(chance), some(chance), some(chance), some(chance),
				some(chance), some(chance) / 2, some(chance) / 2, (int) chance.of(0, 1, 2, 3));
	}

	private static int some(Chance chance) {
		return (int) chance.of(0, 10, 10, 30);
	}

	/**
	 * Return the same kinds without terms of their own.
	 */
	Kinds plain() {
		return new Kinds(this.shared, this.fair, this.several, this.byHandle, this.asynchronous, this.byView,
				this.nested, 0, this.endless, this.permits);
	}

}
