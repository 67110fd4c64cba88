package io.holdfast.engine.simulation.schedule;

import java.util.List;

/**
 * Any thread that can run may be next. How long one runs differs from phase to phase.
 */
final class RandomPolicy implements Policy {

	private static final int MEAN_PHASE = 400;

	private final Chance chance;

	private int phase;

	private int meanRun = 1;

	RandomPolicy(Chance chance) {
		this.chance = chance;
	}

	@Override
	public void began(SimThread thread) {
		// all are alike
	}

	@Override
	public boolean interrupts(SimThread running) {
		if (--this.phase < 0) {
			this.phase = this.chance.below(2 * MEAN_PHASE);
			this.meanRun = (int) this.chance.of(2, 5, 15, 15, 50, 50, 200);
		}
		return this.chance.oneIn(this.meanRun);
	}

	@Override
	public SimThread choose(List<SimThread> runnable) {
		return runnable.get(this.chance.below(runnable.size()));
	}

}
