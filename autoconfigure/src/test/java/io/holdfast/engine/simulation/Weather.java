package io.holdfast.engine.simulation;

/**
 * How a network behaves all the time: how long what it carries takes, in nanoseconds, and
 * once in how many times something goes wrong; never if that is zero.
 *
 * @param leastDelay the shortest way
 * @param meanDelay how much longer it usually is
 * @param longDelays when it is many times as long
 * @param lostRequests when a request does not arrive
 * @param lateRequests when a request arrives about when its client gives up, or later
 * @param repeatedRequests when a request arrives twice
 * @param lostReplies when a reply does not arrive
 * @param lostMessages when a message does not arrive
 * @param repeatedMessages when a message arrives twice
 * @param clientTimeout how long a client waits for a reply
 */
record Weather(long leastDelay, long meanDelay, int longDelays, int lostRequests, int lateRequests,
		int repeatedRequests, int lostReplies, int lostMessages, int repeatedMessages, long clientTimeout) {

	private static final long MICROS = 1_000;

	static Weather calm(Chance chance) {
		Weather weather = new Weather(chance.of(50, 200, 1_000) * MICROS, chance.of(20, 100, 1_000, 4_000) * MICROS, 0,
				0, 0, 0, 0, 0, 0, 0);
		return weather.clientTimeout(100 * weather.roundTrip());
	}

	static Weather stormy(Chance chance) {
		Weather calm = calm(chance);
		return new Weather(calm.leastDelay, calm.meanDelay, often(chance), often(chance), often(chance), often(chance),
				often(chance), often(chance), often(chance), chance.of(3, 10, 50) * calm.roundTrip());
	}

	private Weather clientTimeout(long nanos) {
		return new Weather(this.leastDelay, this.meanDelay, this.longDelays, this.lostRequests, this.lateRequests,
				this.repeatedRequests, this.lostReplies, this.lostMessages, this.repeatedMessages, nanos);
	}

	long roundTrip() {
		return 2 * (this.leastDelay + this.meanDelay);
	}

	private static int often(Chance chance) {
		return (int) chance.of(0, 0, 10, 30, 200);
	}

	/**
	 * Return whether a request may be carried out too late, or twice, or without an
	 * answer.
	 */
	boolean isRough() {
		return this.longDelays + this.lostRequests + this.lateRequests + this.repeatedRequests + this.lostReplies > 0;
	}

}
