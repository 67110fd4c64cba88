package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Runs episodes, two at a time, until one of them fails or there have been enough.
 */
final class Simulation {

	private static final int THREADS = 2;

	private final SplittableRandom seeds;

	private final long begin = System.nanoTime();

	private final Queue<Episode.Outcome> failed = new ConcurrentLinkedQueue<>();

	private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

	private long episodes;

	private long steps;

	private long switches;

	/**
	 * Create a simulation.
	 * @param seed what seeds of episodes are made from
	 */
	Simulation(long seed) {
		this.seeds = new SplittableRandom(seed);
	}

	/**
	 * Run episodes until time is up, or longer if there have been too few by then.
	 * @param time for how long
	 * @param fewest how many there are however busy the machine is
	 * @param mostFailures after how many failures to stop
	 * @return those that have failed
	 */
	List<Episode.Outcome> run(Duration time, int fewest, int mostFailures) throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> runEpisodes(time, fewest, mostFailures), "simulation-" + i);
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		return List.copyOf(this.failed);
	}

	private void runEpisodes(Duration time, int fewest, int mostFailures) {
		while ((System.nanoTime() - this.begin < time.toNanos() || episodes() < fewest)
				&& this.failed.size() < mostFailures) {
			count(run(nextSeed()));
		}
	}

	private static Episode.Outcome run(long seed) {
		try {
			return new Episode(seed).run();
		}
		catch (RuntimeException | Error ex) {
			ex.printStackTrace();
			return new Episode.Outcome(seed, List.of("the simulation itself has failed: " + ex), 0, 0, Map.of(), "",
					"");
		}
	}

	private synchronized long nextSeed() {
		return this.seeds.nextLong(Long.MAX_VALUE);
	}

	private synchronized void count(Episode.Outcome outcome) {
		this.episodes++;
		this.steps += outcome.steps();
		this.switches += outcome.switches();
		outcome.faults().forEach((fault, times) -> this.faults.merge(fault, times, Integer::sum));
		if (!outcome.violations().isEmpty()) {
			this.failed.add(outcome);
		}
	}

	synchronized long episodes() {
		return this.episodes;
	}

	/**
	 * Return which faults there have been, and how often.
	 */
	synchronized Map<Fault, Integer> faults() {
		return Map.copyOf(this.faults);
	}

	/**
	 * Return what has taken place.
	 */
	@Override
	public synchronized String toString() {
		return "%d episodes in %d s, %d steps, %d switches, faults: %s".formatted(this.episodes,
				(System.nanoTime() - this.begin) / 1_000_000_000, this.steps, this.switches, this.faults);
	}

}
