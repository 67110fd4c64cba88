package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches for seeds with which something goes wrong that must not.
 */
@Tag("any-jdk")
@Tag("slow")
class SimulationTests {

	private static final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	/**
	 * Enough for each kind of fault to happen.
	 */
	private static final int FEWEST_EPISODES = 100;

	private static final int REPLAYED = 10;

	/**
	 * Among so many seeds a mistake shows.
	 */
	private static final int TELLING = 300;

	private static final Duration TIME = (Long.getLong("simulation.minutes") != null)
			? Duration.ofMinutes(Long.getLong("simulation.minutes")) : Duration.ofSeconds(10);

	private static final Level usual = logger.getLevel();

	/**
	 * Losses, failures and the end of an episode are usual here.
	 */
	@BeforeAll
	static void doNotLog() {
		logger.setLevel(Level.OFF);
	}

	@AfterAll
	static void log() {
		logger.setLevel(usual);
	}

	@Test
	@Timeout(value = 30, unit = TimeUnit.MINUTES)
	void findsNothingWrong() {
		Long seed = Long.getLong("simulation.seed");
		if (seed != null) {
			Episode.Outcome outcome = new Episode(seed).run();
			System.out.println(outcome.history() + outcome.threads());
			assertThat(outcome.violations()).isEmpty();
		}
		else {
			new Search(System.nanoTime()).run();
		}
	}

	@Test
	void sameSeedLeadsToSameHistory() {
		for (long seed : new Random().longs(REPLAYED).toArray()) {
			Episode.Outcome first = new Episode(seed).run();
			Episode.Outcome second = new Episode(seed).run();
			assertThat(second.history()).as("seed %d", seed).isNotEmpty().isEqualTo(first.history());
			assertThat(second.violations()).as("seed %d", seed).isEqualTo(first.violations());
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	void findsMistakes(SimStore.Mistake mistake) {
		assertThat(LongStream.range(0, TELLING)
			.mapToObj((seed) -> new Episode(seed, mistake).run().violations())
			.filter((violations) -> !violations.isEmpty())
			.findFirst()).as("a violation").isPresent();
	}

	/**
	 * Runs episodes, two at a time, until one of them fails or there have been enough.
	 */
	private static final class Search {

		private final SplittableRandom seeds;

		private final long begin = System.nanoTime();

		private final Queue<Episode.Outcome> failed = new ConcurrentLinkedQueue<>();

		private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

		private long episodes;

		private long steps;

		private Search(long seed) {
			this.seeds = new SplittableRandom(seed);
		}

		private void run() {
			CompletableFuture<Boolean> other = Threads.start(this::runEpisodes);
			runEpisodes();
			Threads.join(other);
			System.out.printf("Simulation: %d episodes in %d s, %d steps, faults: %s%n", this.episodes,
					Duration.ofNanos(System.nanoTime() - this.begin).toSeconds(), this.steps, this.faults);
			assertThat(this.failed).as("Each with its history by -Dsimulation.seed=…").isEmpty();
			assertThat(this.faults).containsOnlyKeys(Fault.values());
		}

		private boolean runEpisodes() {
			for (Long seed = nextSeed(); seed != null; seed = nextSeed()) {
				count(new Episode(seed).run());
			}
			return true;
		}

		private synchronized @Nullable Long nextSeed() {
			boolean isOver = System.nanoTime() - this.begin > TIME.toNanos() && this.episodes >= FEWEST_EPISODES;
			return (isOver || !this.failed.isEmpty()) ? null : this.seeds.nextLong(Long.MAX_VALUE);
		}

		private synchronized void count(Episode.Outcome outcome) {
			this.episodes++;
			this.steps += outcome.steps();
			outcome.faults().forEach((fault, times) -> this.faults.merge(fault, times, Integer::sum));
			if (!outcome.violations().isEmpty()) {
				this.failed.add(outcome);
			}
		}

	}

}
