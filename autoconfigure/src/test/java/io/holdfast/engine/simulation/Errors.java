package io.holdfast.engine.simulation;

import io.holdfast.engine.simulation.check.Circumstances;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.InjectedError;

/**
 * Throws errors where the engine comes to a seam.
 */
final class Errors implements Runnable {

	private final Chance chance;

	private final Circumstances circumstances;

	private int oneIn;

	/**
	 * Create errors.
	 * @param oneIn once in how many times to throw one; never if that is zero
	 */
	Errors(Chance chance, int oneIn, Circumstances circumstances) {
		this.chance = chance;
		this.oneIn = oneIn;
		this.circumstances = circumstances;
	}

	void stop() {
		this.oneIn = 0;
	}

	@Override
	public void run() {
		if (this.chance.oneIn(this.oneIn)) {
			this.circumstances.errorThrown();
			throw new InjectedError();
		}
	}

}
