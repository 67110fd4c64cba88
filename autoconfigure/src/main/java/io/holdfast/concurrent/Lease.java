package io.holdfast.concurrent;

import java.time.Duration;

/**
 * How long a hold can be relied on. Counts from before the request was sent, less an
 * allowance for clocks that run at different speeds, so that it is over here before it is
 * over in the store. Only ever gets longer, and once over it stays over.
 *
 * @since 0.1.0
 */
public final class Lease {

	private static final long DRIFT_DIVISOR = 100;

	private static final long DRIFT_FLOOR = Duration.ofMillis(2).toNanos();

	private final MonotonicClock clock;

	private volatile long deadline;

	private volatile long longestAsked;

	/**
	 * Begin a lease.
	 * @param clock the time
	 * @param sentAt when it was asked for
	 * @param granted for how long it was granted
	 */
	public Lease(MonotonicClock clock, long sentAt, Duration granted) {
		this.clock = clock;
		this.deadline = deadline(sentAt, granted);
		this.longestAsked = sentAt + MonotonicClock.toNanos(granted);
	}

	/**
	 * Note that the store is being asked for so much time, which it may grant although no
	 * answer arrives.
	 * @param sentAt when it is asked
	 * @param lease how much
	 */
	public synchronized void asked(long sentAt, Duration lease) {
		this.longestAsked = MonotonicClock.later(this.longestAsked, sentAt + MonotonicClock.toNanos(lease));
	}

	/**
	 * Book more time that the store has granted.
	 * @param sentAt when it was asked for
	 * @param granted how much; nothing if the lease is over already
	 */
	public synchronized void prolong(long sentAt, Duration granted) {
		if (!isOver()) {
			this.deadline = MonotonicClock.later(this.deadline, deadline(sentAt, granted));
		}
	}

	/**
	 * Return whether it is over. One step with {@link #prolong}: what says so once is not
	 * contradicted by time that is booked meanwhile.
	 * @return whether it is
	 */
	public synchronized boolean isOver() {
		return remainingNanos() <= 0;
	}

	/**
	 * Return how much is left.
	 * @return the time, or zero when it is over
	 */
	public Duration remaining() {
		return Duration.ofNanos(Math.max(0, remainingNanos()));
	}

	/**
	 * Return when it is over.
	 * @return the time, in nanoseconds of the clock
	 */
	public long deadline() {
		return this.deadline;
	}

	/**
	 * Return until when the store may still have the hold, if it is not told otherwise
	 * and was asked no later than now.
	 * @return the time, in nanoseconds of the clock
	 */
	public long latestEnd() {
		return this.longestAsked;
	}

	/**
	 * Looks at the clock first: the deadline may be put off meanwhile.
	 */
	private long remainingNanos() {
		long now = this.clock.nanos();
		return this.deadline - now;
	}

	private static long deadline(long sentAt, Duration granted) {
		long nanos = MonotonicClock.toNanos(granted);
		return sentAt + nanos - nanos / DRIFT_DIVISOR - DRIFT_FLOOR;
	}

}
