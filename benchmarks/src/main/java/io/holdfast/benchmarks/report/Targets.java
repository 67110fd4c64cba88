package io.holdfast.benchmarks.report;

import java.util.List;
import java.util.OptionalDouble;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;

/**
 * All targets, and the table that says which are reached.
 */
final class Targets {

	private static final List<Target> ALL = List.of(
			Target.timesAsFast(Scenario.OWN_KEY_1, Contender.SPRING_INTEGRATION_PUB_SUB, 1),
			Target.timesAsFast(Scenario.OWN_KEY_1, Contender.BARE_JEDIS, 0.78),
			Target.atMostTimes(Scenario.OWN_KEY_1, Figure.CLIENT_CPU, Contender.SPRING_INTEGRATION_PUB_SUB, 1),
			Target.atMostTimes(Scenario.OWN_KEY_1, Figure.REDIS_CPU, Contender.SPRING_INTEGRATION_PUB_SUB, 1.5),
			Target.timesAsFast(Scenario.OWN_KEY_16, Contender.SPRING_INTEGRATION_PUB_SUB, 1.1),
			Target.timesAsFast(Scenario.OWN_KEY_16, Contender.BARE_JEDIS, 0.7),
			Target.timesAsFast(Scenario.ONE_KEY_16, Contender.SPRING_INTEGRATION_PUB_SUB, 10),
			Target.timesAsFast(Scenario.ONE_KEY_16, Contender.REDISSON, 20), Target.evenLatency(Scenario.ONE_KEY_16, 3),
			Target.timesAsFast(Scenario.ONE_KEY_128, Contender.SPRING_INTEGRATION_PUB_SUB, 10),
			Target.timesAsFast(Scenario.ONE_KEY_128, Contender.REDISSON, 20),
			Target.evenLatency(Scenario.ONE_KEY_128, 3),
			Target.timesAsFast(Scenario.ONE_KEY_4_JVMS, Contender.SPRING_INTEGRATION_PUB_SUB, 5),
			Target.timesAsFast(Scenario.ONE_KEY_4_JVMS, Contender.SPRING_INTEGRATION_SPIN, 2),
			Target.timesAsFast(Scenario.ONE_KEY_4_JVMS, Contender.REDISSON, 40),
			Target.atLeast(Scenario.ONE_KEY_4_JVMS, Figure.WORST_SHARE, 0.5),
			Target.belowPeers(Scenario.ONE_KEY_4_JVMS, Figure.P99),
			Target.atLeast(Scenario.SECTION_4_JVMS, Figure.INSIDE, 0.9), Target.shortHandOver(Scenario.HAND_OVER, 2),
			Target.belowPeers(Scenario.HAND_OVER, Figure.P50),
			Target.atMost(Scenario.HELD, Figure.SCRIPTS_PER_SECOND, 10),
			Target.atMostTimes(Scenario.HELD, Figure.CLIENT_CPU_PERCENT, Contender.REDISSON, 1),
			Target.atMostTimes(Scenario.HELD, Figure.REDIS_CPU_PERCENT, Contender.REDISSON, 1));

	private Targets() {
	}

	/**
	 * Return the table of those targets for which there are measurements.
	 */
	static String table(Results results) {
		MarkdownTable table = new MarkdownTable(List.of("Holdfast (Jedis)", "target", "measured", "reached"));
		for (Target target : ALL) {
			OptionalDouble value = target.measure().apply(results);
			if (value.isPresent()) {
				table.add(row(target, value.getAsDouble()));
			}
		}
		return table.toString();
	}

	private static List<String> row(Target target, double value) {
		return List.of(target.scenario().title() + ": " + target.text(),
				(target.atLeast() ? "≥ " : "≤ ") + Numbers.format(target.limit(), 2), Numbers.format(value, 2),
				target.isReached(value) ? "yes" : "**no**");
	}

}
