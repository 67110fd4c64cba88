package io.holdfast.benchmarks.harness;

/**
 * A measurement that came to nothing.
 *
 * @param scenario in which situation
 * @param contender what was to be measured, as tables call it
 * @param round which time, from 1
 * @param message what went wrong
 */
public record Failure(Scenario scenario, String contender, int round, String message) {

	@Override
	public String toString() {
		return "%s, %s, round %d: %s".formatted(this.scenario.title(), this.contender, this.round, this.message);
	}

}
