package io.holdfast.faults.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.faults.history.History;

/**
 * Looks for broken promises in a history.
 */
public final class Checker {

	private final List<Rule> rules = new ArrayList<>();

	/**
	 * Create a checker.
	 * @param slack how much later than it should an acquisition may end
	 * @param unnoticed whether nothing has happened for which anybody may be refused
	 */
	public Checker(Duration slack, boolean unnoticed) {
		this.rules.addAll(List.of(new NothingFails(), new WaitsEnd(slack), new OneAtATime(), new HeldByOne(),
				new TokensGrow(), new UpdatesAreKept(), new LossesAreTold()));
		if (unnoticed) {
			this.rules.add(new NobodyIsRefused());
		}
	}

	/**
	 * Return what is wrong with a history, each in a sentence.
	 */
	public List<String> violations(History history, Promise promise) {
		return this.rules.stream().flatMap((rule) -> rule.violations(history, promise).stream()).toList();
	}

}
