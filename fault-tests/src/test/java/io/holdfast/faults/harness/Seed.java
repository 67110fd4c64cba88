package io.holdfast.faults.harness;

import java.util.Random;

/**
 * What all that happens at random is drawn from.
 *
 * @param value the seed
 */
record Seed(long value) {

	/**
	 * Return the one that was asked for, or a new one.
	 */
	static Seed given() {
		String given = System.getProperty("faults.seed", "");
		return new Seed(given.isBlank() ? new Random().nextInt(1_000_000) : Long.parseLong(given));
	}

	/**
	 * Return numbers for a drill, which are the same whatever was before it.
	 */
	Random random(String drill) {
		return new Random(this.value * 31 + drill.hashCode());
	}

	@Override
	public String toString() {
		return Long.toString(this.value);
	}

}
