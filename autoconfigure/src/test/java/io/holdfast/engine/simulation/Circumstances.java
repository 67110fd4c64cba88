package io.holdfast.engine.simulation;

import java.time.Duration;

/**
 * What is, or has been, wrong around the instances: what promises depend on.
 */
final class Circumstances {

	private final Duration poll;

	private final long callTime;

	private final boolean answersLost;

	private boolean dataLost;

	private boolean clockSet;

	private boolean clockSetBack;

	private boolean disturbed;

	Circumstances(Plan plan) {
		this.poll = plan.poll();
		this.callTime = plan.callTime();
		this.answersLost = plan.losesAnswers();
	}

	void disturbed() {
		this.disturbed = true;
	}

	void dataLost() {
		this.dataLost = true;
	}

	void clockSet(long nanos) {
		this.clockSet = true;
		this.clockSetBack |= nanos < 0;
	}

	long poll() {
		return this.poll.toNanos();
	}

	boolean isPolled() {
		return this.poll.compareTo(Duration.ofMinutes(1)) < 0;
	}

	long callTime() {
		return this.callTime;
	}

	boolean isAnswered() {
		return !this.answersLost;
	}

	boolean isUndisturbed() {
		return !this.disturbed && !this.answersLost;
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

}
