package io.holdfast.engine.simulation;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What happens by chance: all of it follows from one seed.
 */
final class Chance {

	private final SplittableRandom random;

	Chance(long seed) {
		this(new SplittableRandom(seed));
	}

	private Chance(SplittableRandom random) {
		this.random = random;
	}

	/**
	 * Return chance of its own for something, so that how often others ask does not
	 * change what happens there.
	 */
	Chance split() {
		return new Chance(this.random.split());
	}

	boolean oneIn(int times) {
		return times > 0 && this.random.nextInt(times) == 0;
	}

	boolean percent(int times) {
		return this.random.nextInt(100) < times;
	}

	int below(int bound) {
		return this.random.nextInt(bound);
	}

	int between(int least, int most) {
		return this.random.nextInt(least, most + 1);
	}

	long between(long least, long most) {
		return this.random.nextLong(least, most + 1);
	}

	long around(long mean) {
		return Math.min(10 * mean, (long) (-mean * StrictMath.log(1 - this.random.nextDouble())));
	}

	<T> T of(List<T> things) {
		return things.get(this.random.nextInt(things.size()));
	}

	long of(long... numbers) {
		return numbers[this.random.nextInt(numbers.length)];
	}

}
