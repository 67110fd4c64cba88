package io.holdfast.benchmarks.harness;

/**
 * Something that is measured, and how it is shown.
 */
public enum Figure {

	/**
	 * Operations in a second: pairs of acquire and release.
	 */
	OPERATIONS_PER_SECOND("ops/s", 0),

	/**
	 * Times in a second that a lock goes from one JVM to another that waits for it.
	 */
	HAND_OVERS_PER_SECOND("hand-overs/s", 0),

	/**
	 * Mean time of an operation in nanoseconds.
	 */
	NANOS_PER_OPERATION("ns/op", 0),

	/**
	 * Half the width of the 99.9 % confidence interval of that mean.
	 */
	NANOS_ERROR("± ns", 0),

	/**
	 * Median latency in microseconds.
	 */
	P50("p50 µs", 0),

	/**
	 * 99th percentile of the latency in microseconds.
	 */
	P99("p99 µs", 0),

	/**
	 * Greatest latency in microseconds.
	 */
	MAX("max µs", 0),

	/**
	 * CPU time of the client JVMs for an operation, in microseconds.
	 */
	CLIENT_CPU("client CPU µs/op", 1),

	/**
	 * CPU time of Redis for an operation, in microseconds.
	 */
	REDIS_CPU("Redis CPU µs/op", 1),

	/**
	 * Redis commands for an operation, those inside scripts included.
	 */
	COMMANDS("commands/op", 1),

	/**
	 * Script calls for an operation.
	 */
	SCRIPTS("scripts/op", 2),

	/**
	 * Operations of the JVM that had the fewest, in relation to the one that had most.
	 */
	WORST_SHARE("worst/best JVM", 2),

	/**
	 * Share of the time in which a thread held the lock.
	 */
	INSIDE("share of time inside", 3),

	/**
	 * Redis commands in a second, those inside scripts included.
	 */
	COMMANDS_PER_SECOND("commands/s", 1),

	/**
	 * Script calls in a second.
	 */
	SCRIPTS_PER_SECOND("scripts/s", 1),

	/**
	 * CPU time of the client JVM in percent of a core.
	 */
	CLIENT_CPU_PERCENT("client CPU %", 2),

	/**
	 * CPU time of Redis in percent of a core.
	 */
	REDIS_CPU_PERCENT("Redis CPU %", 2),

	/**
	 * How many of the locks are still there at the end.
	 */
	KEYS_LEFT("locks left", 0),

	/**
	 * Median time of a PING over one connection, in microseconds.
	 */
	ROUND_TRIP("round trip µs", 0),

	/**
	 * Median time until a parked thread runs again, in microseconds.
	 */
	WAKE_UP("wake-up µs", 0);

	private final String header;

	private final int decimals;

	Figure(String header, int decimals) {
		this.header = header;
		this.decimals = decimals;
	}

	/**
	 * Return what tables call it, with the unit.
	 * @return the header
	 */
	public String header() {
		return this.header;
	}

	/**
	 * Return how many decimals are shown.
	 * @return the number of decimals
	 */
	public int decimals() {
		return this.decimals;
	}

}
