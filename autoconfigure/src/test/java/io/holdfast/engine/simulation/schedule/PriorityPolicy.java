package io.holdfast.engine.simulation.schedule;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The thread with the highest priority runs. Priorities are given by chance, and at a few
 * steps the running thread's becomes the lowest: which finds mistakes that take several
 * unlikely steps in a row, as Burckhardt and others have shown ("A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs").
 */
final class PriorityPolicy implements Policy {

	private static final int MOST = 1_000_000;

	private final Chance chance;

	private final int meanRun;

	private final Map<SimThread, Integer> priorities = new HashMap<>();

	private int lowest;

	/**
	 * Create a policy.
	 * @param meanRun how many steps there are between two changes
	 */
	PriorityPolicy(Chance chance, int meanRun) {
		this.chance = chance;
		this.meanRun = meanRun;
	}

	@Override
	public void began(SimThread thread) {
		this.priorities.put(thread, this.chance.between(1, MOST));
	}

	@Override
	public boolean interrupts(SimThread running) {
		if (this.chance.oneIn(this.meanRun)) {
			this.priorities.put(running, --this.lowest);
		}
		return true;
	}

	@Override
	public SimThread choose(List<SimThread> runnable) {
		SimThread first = runnable.get(0);
		for (SimThread thread : runnable) {
			first = (priority(thread) > priority(first)) ? thread : first;
		}
		return first;
	}

	private int priority(SimThread thread) {
		return this.priorities.getOrDefault(thread, 0);
	}

}
