package io.holdfast.engine.simulation.schedule;

/**
 * For how long threads could not go on although they had something to do, all of them
 * together.
 */
public final class Stalls {

	private long nanos;

	private long latestEnd;

	/**
	 * A thread can run again.
	 * @param stalled for how long it could not
	 */
	void ended(long stalled) {
		this.nanos += stalled;
	}

	/**
	 * Threads cannot run for some time from now.
	 */
	void begun(long now, long stalled) {
		this.nanos += stalled;
		this.latestEnd = Math.max(this.latestEnd, now + stalled);
	}

	/**
	 * Return whether one of them may be kept from going on now.
	 */
	public boolean areGoingOn(long now) {
		return now < this.latestEnd;
	}

	/**
	 * Return for how long they could not go on, in all, those stalls included that are
	 * not over yet.
	 */
	public long total() {
		return this.nanos;
	}

	/**
	 * Return for how long they could not go on before now.
	 */
	public long before(long now) {
		return this.nanos - Math.max(0, this.latestEnd - now);
	}

}
