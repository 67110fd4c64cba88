package io.holdfast.benchmarks.harness;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.holdfast.benchmarks.worker.Histograms;
import io.holdfast.benchmarks.worker.Turn;
import io.holdfast.benchmarks.worker.Window;
import io.holdfast.benchmarks.worker.Workload;
import io.holdfast.benchmarks.worker.WorkerResult;
import org.HdrHistogram.Histogram;

/**
 * Makes figures of what workers and Redis report.
 */
final class Figures {

	private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);

	private final List<WorkerResult> results;

	private final RedisStats redis;

	private final Window window;

	Figures(List<WorkerResult> results, RedisStats redis, Window window) {
		this.results = results;
		this.redis = redis;
		this.window = window;
	}

	Map<Figure, Double> of(Workload workload) {
		switch (workload) {
			case HELD -> addRates();
			case SECTION -> {
				addOperations();
				addLatencies(sumOfLatencies());
				this.figures.put(Figure.INSIDE, HandOvers.timeInside(logs(), this.window) / this.window.nanos());
			}
			case HAND_OVER -> {
				addOperations();
				addHandOvers();
			}
			default -> {
				addOperations();
				addLatencies(sumOfLatencies());
			}
		}
		return this.figures;
	}

	private void addRates() {
		this.figures.put(Figure.COMMANDS_PER_SECOND, this.redis.commands() / this.window.seconds());
		this.figures.put(Figure.SCRIPTS_PER_SECOND, this.redis.scripts() / this.window.seconds());
		this.figures.put(Figure.CLIENT_CPU_PERCENT, 100 * cpuNanos() / 1e9 / this.window.seconds());
		this.figures.put(Figure.REDIS_CPU_PERCENT, 100 * this.redis.cpuSeconds() / this.window.seconds());
	}

	private void addOperations() {
		double operations = this.results.stream().mapToLong(WorkerResult::operations).sum();
		this.figures.put(Figure.OPERATIONS_PER_SECOND, operations / this.window.seconds());
		if (operations > 0) {
			this.figures.put(Figure.CLIENT_CPU, Micros.of(cpuNanos() / operations));
			this.figures.put(Figure.REDIS_CPU, this.redis.cpuSeconds() * 1e6 / operations);
			this.figures.put(Figure.COMMANDS, this.redis.commands() / operations);
			this.figures.put(Figure.SCRIPTS, this.redis.scripts() / operations);
			this.figures.put(Figure.WORST_SHARE, worstShare());
		}
	}

	private double worstShare() {
		double worst = this.results.stream().mapToLong(WorkerResult::operations).min().orElse(0);
		double best = this.results.stream().mapToLong(WorkerResult::operations).max().orElse(0);
		return worst / best;
	}

	private double cpuNanos() {
		return this.results.stream().mapToLong(WorkerResult::cpuNanos).sum();
	}

	private void addHandOvers() {
		Histogram times = HandOvers.times(logs());
		this.figures.put(Figure.HAND_OVERS_PER_SECOND, times.getTotalCount() / this.window.seconds());
		addLatencies(times);
	}

	private List<List<Turn>> logs() {
		return this.results.stream().map(WorkerResult::turns).toList();
	}

	private Histogram sumOfLatencies() {
		Histogram sum = Histograms.create();
		this.results.forEach((result) -> sum.add(result.latencies()));
		return sum;
	}

	private void addLatencies(Histogram times) {
		if (times.getTotalCount() > 0) {
			this.figures.put(Figure.P50, Micros.of(times.getValueAtPercentile(50)));
			this.figures.put(Figure.P99, Micros.of(times.getValueAtPercentile(99)));
			this.figures.put(Figure.MAX, Micros.of(times.getMaxValue()));
		}
	}

}
