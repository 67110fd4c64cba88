package io.holdfast.engine;

import java.time.Duration;

/**
 * How often an engine looks again at what may have changed without its knowledge.
 *
 * @param poll longest time between two attempts of a waiter
 * @param deadlocks when to look for deadlocks
 */
record EnginePace(Duration poll, Deadlocks.Pace deadlocks) {

	/**
	 * Longest time between two attempts in applications: what a waiter loses by a wake-up
	 * that it misses.
	 */
	static final Duration POLL = Duration.ofMillis(450);

	/**
	 * That of applications.
	 */
	static final EnginePace STEADY = new EnginePace(POLL, Deadlocks.Pace.STEADY);

	/**
	 * Return how long the store keeps the place of a waiter that does not come back: what
	 * a dead waiter costs those behind it.
	 */
	Duration placeKept() {
		return this.poll.multipliedBy(2);
	}

}
