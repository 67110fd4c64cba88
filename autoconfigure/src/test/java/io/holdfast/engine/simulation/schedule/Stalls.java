package io.holdfast.engine.simulation.schedule;

/**
 * For how long threads could not go on although they had something to do.
 */
public final class Stalls {

	private long nanos;

	void add(long stalled) {
		this.nanos += stalled;
	}

	long nanos() {
		return this.nanos;
	}

}
