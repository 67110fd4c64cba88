package io.holdfast.benchmarks;

/**
 * The server that all locks are on.
 */
interface Server extends AutoCloseable {

	int port();

	/**
	 * Forget all locks.
	 */
	void clear();

	/**
	 * Return how many of these keys exist.
	 */
	long count(String... keys);

	/**
	 * Return what the server has done since it was started.
	 */
	Stats stats();

	@Override
	void close();

	/**
	 * What a server has done.
	 *
	 * @param commands commands or statements, those inside scripts included
	 * @param scripts calls of scripts
	 * @param scriptMicros time in scripts, in microseconds
	 * @param cpuSeconds CPU time of the server
	 */
	record Stats(double commands, double scripts, double scriptMicros, double cpuSeconds) {

		Stats since(Stats earlier) {
			return new Stats(this.commands - earlier.commands, this.scripts - earlier.scripts,
					this.scriptMicros - earlier.scriptMicros, this.cpuSeconds - earlier.cpuSeconds);
		}

	}

}
