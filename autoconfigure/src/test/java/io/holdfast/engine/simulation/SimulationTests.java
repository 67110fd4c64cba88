package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
	void findsNothingWrong() throws InterruptedException {
		Long seed = Long.getLong("simulation.seed");
		List<Episode.Outcome> failed = (seed != null) ? replay(seed) : search();
		assertThat(failed).extracting(SimulationTests::text).isEmpty();
	}

	private static List<Episode.Outcome> search() throws InterruptedException {
		Simulation simulation = new Simulation(System.nanoTime());
		List<Episode.Outcome> failed = simulation.run(TIME, FEWEST_EPISODES, 1);
		System.out.println("Simulation: " + simulation);
		if (failed.isEmpty()) {
			assertThat(simulation.faults()).containsOnlyKeys(Fault.values());
		}
		return failed;
	}

	private static List<Episode.Outcome> replay(long seed) {
		Episode.Outcome outcome = new Episode(seed).run();
		System.out.println(outcome.history() + outcome.threads());
		return outcome.violations().isEmpty() ? List.of() : List.of(outcome);
	}

	private static String text(Episode.Outcome outcome) {
		return "%s; to see how it came to that: mvn -pl autoconfigure test -Dtest=SimulationTests -Dsimulation.seed=%d"
			.formatted(outcome.violations(), outcome.seed());
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

}
