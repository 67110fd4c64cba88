package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which thread runs. Either any that can may be next, and how long one runs
 * differs from phase to phase. Or the one with the highest priority is: priorities are
 * given by chance, and at a few steps the running thread's becomes the lowest, which
 * finds mistakes that take several unlikely steps in a row, as Burckhardt and others have
 * shown ("A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs").
 */
final class Policy {

	private static final int HIGHEST = 1_000_000;

	private static final int MEAN_PHASE = 400;

	private final Chance chance;

	private final int priorities;

	private final Map<SimThread, Integer> priority = new HashMap<>();

	private int lowest;

	private int phase;

	private int meanRun = 1;

	/**
	 * Create a policy.
	 * @param priorities how many steps there are between two changes of priorities; zero
	 * for no priorities
	 */
	Policy(Chance chance, int priorities) {
		this.chance = chance;
		this.priorities = priorities;
	}

	void began(SimThread thread) {
		this.priority.put(thread, this.chance.between(1, HIGHEST));
	}

	boolean interrupts(SimThread running) {
		if (this.priorities > 0) {
			if (this.chance.oneIn(this.priorities)) {
				this.priority.put(running, --this.lowest);
			}
			return true;
		}
		if (--this.phase < 0) {
			this.phase = this.chance.below(2 * MEAN_PHASE);
			this.meanRun = (int) this.chance.of(2, 5, 15, 15, 50, 50, 200);
		}
		return this.chance.oneIn(this.meanRun);
	}

	SimThread choose(List<SimThread> runnable) {
		if (this.priorities == 0) {
			return runnable.get(this.chance.below(runnable.size()));
		}
		SimThread first = runnable.get(0);
		for (SimThread thread : runnable) {
			first = (this.priority.get(thread) > this.priority.get(first)) ? thread : first;
		}
		return first;
	}

}
