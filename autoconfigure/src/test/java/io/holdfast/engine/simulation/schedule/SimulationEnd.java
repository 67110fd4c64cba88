package io.holdfast.engine.simulation.schedule;

/**
 * Ends the threads that are left when an episode is over.
 */
public final class SimulationEnd extends Error {

	private static final long serialVersionUID = 1L;

	SimulationEnd() {
		super("The episode is over", null, false, false);
	}

}
