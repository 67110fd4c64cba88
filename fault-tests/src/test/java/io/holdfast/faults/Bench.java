package io.holdfast.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.holdfast.faults.history.Checker;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Promise;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import redis.clients.jedis.Jedis;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers and workers for a test class, and drills with them: work, faults in the middle
 * of it, more work when they are over, and a look at what was done.
 */
final class Bench implements BeforeAllCallback, AfterAllCallback {

	/**
	 * Leases of all locks. Much longer than what a busy machine takes to start a server.
	 */
	static final Duration LEASE = Duration.ofSeconds(3);

	/**
	 * For how long faults are mixed: one round, or a part of the minutes that were asked
	 * for. There are four benches with such faults, of which two work at a time: half of
	 * the minutes for each.
	 */
	static final Duration MIXING = Duration.ofMinutes(Integer.getInteger("faults.minutes", 0)).dividedBy(2);

	/**
	 * What takes so long is kept to be looked at.
	 */
	private static final Duration LONG_RECOVERY = Duration.ofSeconds(7);

	private static final Duration LONGEST_DELAY = Duration.ofMillis(700);

	private final LedgerServer ledger = new LedgerServer();

	private final long seed = seed();

	private final Deployment deployment;

	private Team team;

	private Path directory;

	private WallClock clock;

	private int drills;

	Bench(Deployment deployment) {
		this.deployment = deployment;
	}

	private static long seed() {
		String given = System.getProperty("faults.seed", "");
		return given.isBlank() ? new Random().nextInt(1_000_000) : Long.parseLong(given);
	}

	static ConditionFactory patiently() {
		return Awaitility.await().atMost(Duration.ofSeconds(30));
	}

	Team team() {
		return this.team;
	}

	Deployment deployment() {
		return this.deployment;
	}

	WallClock clock() {
		return this.clock;
	}

	@Override
	public void beforeAll(ExtensionContext context) throws IOException {
		this.directory = Path.of(System.getProperty("faults.directory"),
				context.getRequiredTestClass().getSimpleName());
		Files.createDirectories(this.directory);
		System.out.printf("%s: -Dfaults.seed=%s%n", context.getDisplayName(), this.seed);
		this.deployment.start();
		this.ledger.redis.start();
		this.clock = new WallClock(this.directory);
		List<String> properties = new ArrayList<>(
				List.of("holdfast.lease=" + LEASE.toMillis() + "ms", "holdfast.shutdown-grace=1s",
						"spring.data.redis.timeout=500ms", "spring.main.web-application-type=none",
						"spring.main.banner-mode=off", "worker.ledger-port=" + this.ledger.redis.port()));
		properties.addAll(this.deployment.properties());
		this.team = new Team(properties, this.directory);
	}

	/**
	 * Let faults happen at random for some time. Go on in spite of broken promises, and
	 * tell them all in the end.
	 */
	void mix(Drill drill, List<Fault> servers) {
		long end = System.nanoTime() + MIXING.toNanos();
		List<String> broken = new ArrayList<>();
		for (int round = 0; round < 1 || System.nanoTime() < end; round++) {
			Random random = new Random(this.seed * 31 + round);
			List<Fault> row = random.ints(1 + random.nextInt(2), 0, servers.size()).mapToObj(servers::get).toList();
			Fault worker = random.nextBoolean() ? Fault.WORKER_KILLED : Fault.WORKER_FROZEN;
			Findings findings = run(drill, random, random.nextBoolean() ? List.of(row) : List.of(row, List.of(worker)),
					Promise.LOSSES_TOLD);
			if (!findings.violations().isEmpty()) {
				broken.add("Round %d, %s".formatted(round, findings.summary()));
			}
			else if (findings.recovery().compareTo(LONG_RECOVERY) < 0) {
				FileSystemUtils.deleteRecursively(findings.journals().toFile());
			}
		}
		assertThat(broken).as("-Dfaults.seed=%s", this.seed).isEmpty();
	}

	/**
	 * Let several rows of faults happen at the same time, one after the other in each.
	 */
	Findings run(Drill drill, List<List<Fault>> rows) {
		return run(drill, new Random(this.seed * 31 + drill.ordinal() + this.drills), rows, Promise.NOTHING_LOST);
	}

	/**
	 * Let several rows of faults happen at the same time.
	 * @param atMost what is promised in spite of there being several
	 */
	private Findings run(Drill drill, Random random, List<List<Fault>> rows, Promise atMost) {
		try {
			Path journals = this.directory.resolve("drill-" + ++this.drills);
			Files.createDirectories(journals);
			Findings findings = new Run(drill, random, journals, atMost).work(rows);
			System.out.println("  " + findings);
			return findings;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void afterAll(ExtensionContext context) {
		try {
			if (this.team != null) {
				this.team.leave();
				assertThat(this.team.errors()).as("Errors at the end").isEmpty();
			}
		}
		finally {
			this.ledger.redis.close();
			this.deployment.close();
		}
	}

	private final class Run {

		private final List<String> violations = new ArrayList<>();

		private final List<String> events = new ArrayList<>();

		private final Drill drill;

		private final Random random;

		private final Path journals;

		private Duration recovery = Duration.ZERO;

		private long struck = Long.MAX_VALUE;

		private Promise promise;

		Run(Drill drill, Random random, Path journals, Promise atMost) {
			this.drill = drill;
			this.random = random;
			this.journals = journals;
			this.promise = atMost;
		}

		Findings work(List<List<Fault>> rows) {
			Bench.this.team.complete();
			Bench.this.deployment.awaitWell();
			long failovers = Bench.this.deployment.failovers();
			Bench.this.ledger.takeEntries();
			Map<String, Long> before = Bench.this.ledger.counts();
			try {
				Bench.this.team.work(this.random, this.journals);
				workUnder(rows);
			}
			catch (ConditionTimeoutException ex) {
				this.violations.add("No progress: " + ex.getMessage());
			}
			catch (RuntimeException ex) {
				this.violations.add("The drill has failed: " + ex);
			}
			finally {
				Bench.this.team.rest();
			}
			long expected = rows.stream().flatMap(List::stream).filter(Fault::isFailover).count();
			return look(before, Bench.this.deployment.failovers() - failovers > expected);
		}

		private void workUnder(List<List<Fault>> rows) {
			awaitProgress(List.of("hot", "warm"));
			this.struck = System.nanoTime();
			List<CompletableFuture<Boolean>> running = new ArrayList<>();
			for (int i = 0; i < rows.size(); i++) {
				List<Fault> row = rows.get(i);
				int index = i;
				Random own = new Random(this.random.nextLong());
				running.add(Threads.start(() -> strike(row, index, own)));
			}
			Threads.join(CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)));
			long over = System.nanoTime();
			awaitProgress(LedgerServer.KEYS);
			this.recovery = Duration.ofNanos(System.nanoTime() - over);
		}

		private void awaitProgress(List<String> keys) {
			Map<String, Long> before = Bench.this.ledger.counts();
			patiently().until(Bench.this.ledger::counts,
					(now) -> keys.stream().allMatch((key) -> now.get(key) > before.get(key)));
		}

		private boolean strike(List<Fault> row, int index, Random own) throws Exception {
			for (Fault fault : row) {
				Fault.last(Fault.between(own, Duration.ZERO, LONGEST_DELAY));
				long begun = System.nanoTime();
				String event = fault.strike(Bench.this, index, own);
				boolean isLate = fault.isOfServer() && System.nanoTime() - begun > LEASE.dividedBy(2).toNanos();
				synchronized (this.events) {
					this.events.add(event);
					this.promise = this.promise.and(this.drill.promise(fault));
					// A server that does not come back in time for renewals may cost a
					// lock
					if (isLate && !Bench.this.deployment.hasStandIns()) {
						this.promise = this.promise.and(Promise.LOSSES_TOLD);
					}
				}
			}
			return true;
		}

		private Findings look(Map<String, Long> before, boolean unasked) {
			History history = Bench.this.team.history(Bench.this.ledger.takeEntries(), before);
			if (unasked) {
				this.promise = Promise.TWO_MASTERS;
				this.events.add("fail-over that nobody has asked for");
			}
			this.violations.addAll(Checker.violations(history, this.promise, Bench.this.deployment.slack(),
					this.drill.isUnnoticed() && !unasked));
			Bench.this.deployment.masters().forEach(this::requireNothingLeft);
			this.violations.addAll(Bench.this.team.errors());
			return new Findings(this.events, this.promise, history, this.struck, this.recovery, this.violations,
					this.journals);
		}

		/**
		 * When nobody works, there is nothing in Redis that would stay there for ever.
		 */
		private void requireNothingLeft(RedisProcess server) {
			try (Jedis jedis = server.connect()) {
				for (String key : jedis.keys("*")) {
					if (!key.startsWith("holdfast:")) {
						this.violations.add("The foreign key '%s' is left".formatted(key));
					}
					else if (jedis.pttl(key) == -1) {
						this.violations.add("The key '%s' is left without an expiry".formatted(key));
					}
				}
			}
		}

	}

}
