package io.holdfast.engine.simulation;

import java.time.Duration;

/**
 * What is, or has been, wrong around the instances: what promises depend on.
 */
final class Circumstances {

	final long poll;

	final boolean polled;

	final long callTime;

	final boolean answered;

	// Whether a request that was answered may be carried out once more
	final boolean repeated;

	boolean dataLost;

	boolean clockSet;

	boolean clockSetBack;

	boolean disturbed;

	Circumstances(Plan plan) {
		this.poll = plan.poll().toNanos();
		this.polled = plan.poll().compareTo(Duration.ofMinutes(1)) < 0;
		this.callTime = plan.callTime();
		this.answered = !plan.losesAnswers();
		this.repeated = plan.weather().repeatedRequests() > 0;
	}

	boolean isUndisturbed() {
		return !this.disturbed && this.answered;
	}

}
