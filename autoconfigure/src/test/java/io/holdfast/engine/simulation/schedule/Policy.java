package io.holdfast.engine.simulation.schedule;

import java.util.List;

/**
 * Decides which thread runs.
 */
interface Policy {

	/**
	 * A thread begins.
	 */
	void began(SimThread thread);

	/**
	 * Return whether to {@linkplain #choose choose} anew although a thread could go on.
	 */
	boolean interrupts(SimThread running);

	/**
	 * Choose one of the threads that can run.
	 */
	SimThread choose(List<SimThread> runnable);

}
