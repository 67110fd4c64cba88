package io.holdfast.benchmarks.harness;

import java.util.EnumMap;
import java.util.Map;

/**
 * What came out of measuring a contender once.
 *
 * @param scenario in which situation
 * @param contender what was measured, as tables call it
 * @param round which time, from 1
 * @param figures what came out
 */
public record Measurement(Scenario scenario, String contender, int round, Map<Figure, Double> figures) {

	/**
	 * Return a copy with more figures.
	 */
	Measurement with(Map<Figure, Double> more) {
		Map<Figure, Double> all = new EnumMap<>(this.figures);
		all.putAll(more);
		return new Measurement(this.scenario, this.contender, this.round, all);
	}

}
