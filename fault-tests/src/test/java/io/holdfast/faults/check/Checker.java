package io.holdfast.faults.check;

import java.time.Duration;
import java.util.List;

import io.holdfast.faults.history.History;

/**
 * Looks for broken promises in a history.
 */
public final class Checker {

	private final List<Rule> rules;

	/**
	 * Create a checker.
	 * @param slack how much later than it should an acquisition may end
	 */
	public Checker(Duration slack) {
		this.rules = List.of(new NothingFails(), new WaitsEnd(slack), new OneAtATime(), new HeldByOne(),
				new TokensGrow(), new UpdatesAreKept(), new LossesAreTold());
	}

	/**
	 * Return what is wrong with a history, each in a sentence.
	 */
	public List<String> violations(History history, Promise promise) {
		return this.rules.stream().flatMap((rule) -> rule.violations(history, promise).stream()).toList();
	}

}
