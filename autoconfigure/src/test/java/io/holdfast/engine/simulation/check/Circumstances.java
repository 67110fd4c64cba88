package io.holdfast.engine.simulation.check;

import java.time.Duration;

/**
 * What is, or has been, wrong around the instances: what promises depend on.
 */
public final class Circumstances {

	private static final Duration RETRIES = Duration.ofSeconds(1);

	private final Duration poll;

	private final long callTime;

	private final boolean answersLost;

	private boolean dataLost;

	private boolean clockSet;

	private boolean clockSetBack;

	private boolean forced;

	private boolean disturbed;

	private int errorsThrown;

	/**
	 * Create circumstances.
	 * @param poll longest time between two attempts of a waiter
	 * @param callTime how long a call of the store takes at most
	 * @param answersLost whether calls may stay without an answer
	 */
	public Circumstances(Duration poll, long callTime, boolean answersLost) {
		this.poll = poll;
		this.callTime = callTime;
		this.answersLost = answersLost;
	}

	public void dataLost() {
		this.dataLost = true;
		disturbed();
	}

	public void clockSet(long nanos) {
		this.clockSet = true;
		this.clockSetBack |= nanos < 0;
		disturbed();
	}

	public void forced() {
		this.forced = true;
		disturbed();
	}

	public void errorThrown() {
		this.errorsThrown++;
	}

	/**
	 * Something has happened that callers may notice.
	 */
	public void disturbed() {
		this.disturbed = true;
	}

	long poll() {
		return this.poll.toNanos();
	}

	long callTime() {
		return this.callTime;
	}

	/**
	 * Return by how much later things may happen because they have failed, with an error,
	 * and are tried again.
	 */
	long retries() {
		return (this.errorsThrown > 0) ? RETRIES.toNanos() : 0;
	}

	/**
	 * Return whether the store has answered everything, and nothing else was wrong but
	 * errors.
	 */
	boolean isUndisturbed() {
		return !this.disturbed && !this.answersLost;
	}

	/**
	 * Return whether whatever is asked of the store is done, once, and answered.
	 */
	boolean isAnswered() {
		return !this.answersLost;
	}

	/**
	 * Return whether waiters look again by themselves.
	 */
	boolean isPolled() {
		return this.poll.compareTo(Duration.ofMinutes(1)) < 0;
	}

	boolean isDataLost() {
		return this.dataLost;
	}

	boolean isClockSet() {
		return this.clockSet;
	}

	boolean isClockSetBack() {
		return this.clockSetBack;
	}

	boolean isForced() {
		return this.forced;
	}

	boolean isErrorThrown() {
		return this.errorsThrown > 0;
	}

	/**
	 * Return whether an error may have hit what cleans up after another.
	 */
	boolean areErrorsThrown() {
		return this.errorsThrown > 1;
	}

}
