package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;

import io.holdfast.faults.check.Promise;
import io.holdfast.faults.harness.Span;

/**
 * Nothing happens but what happens all the time, for a while.
 *
 * @param promise what is promised in spite of that
 * @param time how long
 */
public record BusyTime(Promise promise, Duration time) implements Fault {

	@Override
	public boolean isUnnoticed() {
		return true;
	}

	@Override
	public String strike(Random random) {
		Span.last(this.time);
		return "%d ms of what happens all the time".formatted(this.time.toMillis());
	}

	@Override
	public String toString() {
		return "busy time";
	}

}
