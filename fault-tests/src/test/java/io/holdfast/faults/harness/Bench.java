package io.holdfast.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.fault.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers and workers for a test class.
 */
public final class Bench implements BeforeAllCallback, AfterAllCallback {

	/**
	 * Leases of all locks. Much longer than what a busy machine takes to start a server.
	 */
	public static final Duration LEASE = Duration.ofSeconds(3);

	private static final int TRIALS = 10;

	private final LedgerServer ledger = new LedgerServer();

	private final Seed seed = Seed.given();

	private final Figures figures = new Figures();

	private final Deployment deployment;

	private @Nullable Team team;

	private @Nullable Path directory;

	private int drills;

	/**
	 * Create a bench.
	 */
	public Bench(Deployment deployment) {
		this.deployment = deployment;
	}

	public Team team() {
		return Objects.requireNonNull(this.team);
	}

	Deployment deployment() {
		return this.deployment;
	}

	LedgerServer ledger() {
		return this.ledger;
	}

	@Override
	public void beforeAll(ExtensionContext context) throws IOException {
		this.directory = Path.of(System.getProperty("faults.directory"),
				context.getRequiredTestClass().getSimpleName());
		Files.createDirectories(this.directory);
		System.out.printf("%s: -Dfaults.seed=%s%n", context.getDisplayName(), this.seed);
		this.deployment.start();
		this.ledger.start();
		this.team = new Team(properties(), this.directory);
	}

	private List<String> properties() {
		List<String> properties = new ArrayList<>(List.of("holdfast.lease=" + LEASE.toMillis() + "ms",
				"holdfast.shutdown-grace=1s", "spring.data.redis.timeout=500ms", "worker.threads=3",
				"worker.lease-millis=" + LEASE.toMillis(), "worker.ledger-port=" + this.ledger.port()));
		properties.addAll(this.deployment.properties());
		return properties;
	}

	/**
	 * Let faults happen one after the other while workers work, and look whether anything
	 * was broken that must not be.
	 */
	public void endure(Fault... faults) {
		run(this.seed.random(List.of(faults).toString()), faults);
	}

	private Findings run(Random random, Fault... faults) {
		Findings findings = run(random, List.of(List.of(faults)), Promise.NOTHING_LOST);
		findings.requireNone();
		return findings;
	}

	/**
	 * Let faults happen one after the other until somebody has lost a lock because of
	 * them: at the moment when they strike, perhaps nobody has one for long enough.
	 */
	public void endureLosing(Fault... faults) {
		Random random = this.seed.random(List.of(faults).toString());
		long lost = 0;
		for (int i = 0; i < TRIALS && lost == 0; i++) {
			lost = run(random, faults).lost();
		}
		assertThat(lost).as("Losses in spite of %d times %s", TRIALS, List.of(faults)).isPositive();
	}

	/**
	 * Let faults happen at the same time.
	 */
	public void endureTogether(Fault... faults) {
		Random random = this.seed.random(List.of(faults).toString());
		run(random, Stream.of(faults).map(List::of).toList(), Promise.NOTHING_LOST).requireNone();
	}

	/**
	 * Let a fault happen while somebody else works with the others, who gets locks too.
	 * @param properties what is different about its application
	 * @param environment what is different about its environment
	 */
	public void endureWith(List<String> properties, Map<String, String> environment, Function<WorkerJvm, Fault> fault) {
		WorkerJvm other = team().hire(properties, environment);
		try {
			Fault applied = fault.apply(other);
			run(this.seed.random(applied.toString()), applied).requireSectionsOf(other.name());
		}
		finally {
			team().dismiss(other);
		}
	}

	/**
	 * Let faults happen at random, one or two to servers and perhaps one to a worker at
	 * the same time, again and again.
	 */
	public void endureMixed(List<Fault> servers, List<Fault> workers) {
		new Mix(this, this.seed, servers, workers).run();
	}

	/**
	 * Let several rows of faults happen at the same time.
	 * @param atMost what is promised in spite of there being several
	 */
	Findings run(Random random, List<List<Fault>> rows, Promise atMost) {
		try {
			Path journals = Objects.requireNonNull(this.directory).resolve("drill-" + ++this.drills);
			Files.createDirectories(journals);
			Findings findings = new Drill(this, random, journals, atMost).run(rows);
			this.figures.add(findings);
			System.out.println("  " + findings);
			return findings;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void afterAll(ExtensionContext context) {
		System.out.printf("%s: %s%n", context.getDisplayName(), this.figures);
		try {
			if (this.team != null) {
				this.team.close();
				assertThat(this.team.errors()).as("Errors at the end").isEmpty();
			}
		}
		finally {
			this.ledger.close();
			this.deployment.close();
		}
	}

}
