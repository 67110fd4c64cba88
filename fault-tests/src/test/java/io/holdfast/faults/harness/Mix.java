package io.holdfast.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.fault.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults at random: one round, or for a part of the minutes that were asked for.
 */
final class Mix {

	/**
	 * What takes so long is kept to be looked at.
	 */
	private static final Duration LONG_RECOVERY = Duration.ofSeconds(7);

	/**
	 * There are four benches with such faults, of which two work at a time: half of the
	 * minutes for each.
	 */
	private static final Duration TIME = Duration.ofMinutes(Integer.getInteger("faults.minutes", 0)).dividedBy(2);

	private final Bench bench;

	private final Seed seed;

	private final List<Fault> servers;

	private final List<Fault> workers;

	Mix(Bench bench, Seed seed, List<Fault> servers, List<Fault> workers) {
		this.bench = bench;
		this.seed = seed;
		this.servers = servers;
		this.workers = workers;
	}

	/**
	 * Return whether more than one round was asked for.
	 */
	static boolean isLong() {
		return !TIME.isZero();
	}

	/**
	 * Go on in spite of broken promises, and tell them all in the end.
	 */
	void run() {
		long end = System.nanoTime() + TIME.toNanos();
		List<String> broken = new ArrayList<>();
		for (int round = 0; round < 1 || System.nanoTime() < end; round++) {
			Random random = this.seed.random("round " + round);
			Findings findings = this.bench.run(random, rows(random), Promise.LOSSES_TOLD);
			if (findings.violations().isEmpty() && findings.recovery().compareTo(LONG_RECOVERY) < 0) {
				findings.forget();
			}
			else if (!findings.violations().isEmpty()) {
				broken.add("Round %d, %s".formatted(round, findings.summary()));
			}
		}
		assertThat(broken).as("-Dfaults.seed=%s", this.seed).isEmpty();
	}

	private List<List<Fault>> rows(Random random) {
		List<Fault> row = new ArrayList<>();
		int faults = 1 + random.nextInt(2);
		for (int i = 0; i < faults; i++) {
			row.add(this.servers.get(random.nextInt(this.servers.size())));
		}
		return random.nextBoolean() ? List.of(row)
				: List.of(row, List.of(this.workers.get(random.nextInt(this.workers.size()))));
	}

}
