package io.holdfast.engine.simulation.schedule;

import java.util.List;
import java.util.SplittableRandom;

/**
 * What happens by chance: all of it follows from one seed.
 */
public final class Chance {

	private final SplittableRandom random;

	public Chance(long seed) {
		this(new SplittableRandom(seed));
	}

	private Chance(SplittableRandom random) {
		this.random = random;
	}

	/**
	 * Return chance of its own for something, so that how often others ask does not
	 * change what happens there.
	 */
	public Chance split() {
		return new Chance(this.random.split());
	}

	/**
	 * Return {@code true} once in so many times; never if that is zero.
	 */
	public boolean oneIn(int times) {
		return times > 0 && this.random.nextInt(times) == 0;
	}

	/**
	 * Return {@code true} so many times in a hundred.
	 */
	public boolean percent(int times) {
		return this.random.nextInt(100) < times;
	}

	public int below(int bound) {
		return this.random.nextInt(bound);
	}

	public int between(int least, int most) {
		return this.random.nextInt(least, most + 1);
	}

	public long between(long least, long most) {
		return this.random.nextLong(least, most + 1);
	}

	/**
	 * Return a number that is often much smaller than a mean, and seldom much greater.
	 */
	public long around(long mean) {
		return Math.min(10 * mean, (long) (-mean * StrictMath.log(1 - this.random.nextDouble())));
	}

	/**
	 * Return any of some things.
	 */
	public <T> T of(List<T> things) {
		return things.get(this.random.nextInt(things.size()));
	}

	/**
	 * Return any of some numbers.
	 */
	public long of(long... numbers) {
		return numbers[this.random.nextInt(numbers.length)];
	}

}
