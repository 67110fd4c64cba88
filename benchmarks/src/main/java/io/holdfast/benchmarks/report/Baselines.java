package io.holdfast.benchmarks.report;

import java.util.List;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;
import io.holdfast.benchmarks.jmh.JmhRuns;

/**
 * With what the others are compared.
 */
final class Baselines {

	private Baselines() {
	}

	/**
	 * Return the baselines of a scenario that were measured.
	 */
	static List<String> of(Scenario scenario, Results results) {
		List<String> all = List.of(Contender.BARE_JEDIS.label(), Contender.REDISSON.label(), JmhRuns.TEMPLATE);
		return all.stream().filter(results.contenders(scenario)::contains).toList();
	}

}
