package io.holdfast.engine.simulation;

/**
 * Where threads run together: one machine with a clock of its own, which may stand still
 * for a while, or die.
 */
final class Host {

	private static final long MILLION = 1_000_000;

	private final String name;

	private final long clockOffset;

	private final long clockDrift;

	private long stalledUntil;

	private long stalled;

	private long lastStallEnds;

	private boolean dead;

	private int threads;

	/**
	 * Create a host.
	 * @param clockOffset what its monotonic clock shows at the beginning
	 * @param clockDrift by how many millionths that clock runs too fast
	 */
	Host(String name, long clockOffset, long clockDrift) {
		this.name = name;
		this.clockOffset = clockOffset;
		this.clockDrift = clockDrift;
	}

	String name() {
		return this.name;
	}

	long clock(long now) {
		return this.clockOffset + now + now * this.clockDrift / MILLION;
	}

	long realTime(long nanos) {
		return (nanos > Long.MAX_VALUE / 4) ? Scheduler.NEVER : nanos - nanos / MILLION * this.clockDrift + 1;
	}

	void stall(long now, long nanos) {
		threadStalls(now, nanos);
		this.stalledUntil = Math.max(this.stalledUntil, now + nanos);
	}

	void threadStalls(long now, long nanos) {
		this.stalled += nanos;
		this.lastStallEnds = Math.max(this.lastStallEnds, now + nanos);
	}

	void threadHasWaited(long nanos) {
		this.stalled += nanos;
	}

	boolean isStalling(long now) {
		return now < this.lastStallEnds;
	}

	/**
	 * Return for how long threads could not go on although they had something to do, all
	 * of them together, those stalls included that are not over yet.
	 */
	long stalled() {
		return this.stalled;
	}

	long stalledBefore(long now) {
		return this.stalled - Math.max(0, this.lastStallEnds - now);
	}

	long stalledUntil() {
		return this.dead ? Scheduler.NEVER : this.stalledUntil;
	}

	void die() {
		this.dead = true;
	}

	boolean isDead() {
		return this.dead;
	}

	int nextThread() {
		return ++this.threads;
	}

}
