package io.holdfast.engine.simulation.schedule;

/**
 * Where threads run together: one machine with a clock of its own, which may stand still
 * for a while, or die.
 */
public final class Host {

	private static final long MILLION = 1_000_000;

	private final String name;

	private final long clockOffset;

	private final long clockDrift;

	private long stalledUntil;

	private final Stalls stalls;

	private boolean dead;

	private int threads;

	/**
	 * Create a host.
	 * @param name its name
	 * @param clockOffset what its monotonic clock shows at the beginning
	 * @param clockDrift by how many millionths that clock runs too fast
	 * @param stalls where to add up for how long its threads could not go on; those of
	 * several hosts where a thread of one may do something for another
	 */
	public Host(String name, long clockOffset, long clockDrift, Stalls stalls) {
		this.name = name;
		this.clockOffset = clockOffset;
		this.clockDrift = clockDrift;
		this.stalls = stalls;
	}

	public String name() {
		return this.name;
	}

	/**
	 * Return what its clock shows.
	 */
	long clock(long now) {
		return this.clockOffset + now + now * this.clockDrift / MILLION;
	}

	/**
	 * Return how long it takes until its clock has gone on by a time.
	 */
	long realTime(long nanos) {
		return (nanos > Long.MAX_VALUE / 4) ? Scheduler.NEVER : nanos - nanos / MILLION * this.clockDrift + 1;
	}

	/**
	 * Let it stand still.
	 */
	void stall(long now, long nanos) {
		long until = now + nanos;
		this.stalls.begun(now, nanos);
		this.stalledUntil = Math.max(this.stalledUntil, until);
	}

	/**
	 * Return for how long its threads could not go on.
	 */
	public Stalls stalls() {
		return this.stalls;
	}

	long stalledUntil() {
		return this.dead ? Scheduler.NEVER : this.stalledUntil;
	}

	/**
	 * Let it die: nothing runs there any more.
	 */
	public void die() {
		this.dead = true;
	}

	public boolean isDead() {
		return this.dead;
	}

	int nextThread() {
		return ++this.threads;
	}

}
