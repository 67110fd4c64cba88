package io.holdfast.faults.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.holdfast.faults.history.Checker;
import io.holdfast.faults.history.Promise;
import io.holdfast.faults.fault.Fault;
import io.holdfast.faults.history.History;
import io.holdfast.test.Threads;
import org.awaitility.core.ConditionTimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * Work, faults in the middle of it, more work when they are over, and a look at what was
 * done.
 */
final class Drill {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final Duration LONGEST_DELAY = Duration.ofMillis(700);

	private final List<String> violations = new ArrayList<>();

	private final List<String> events = new ArrayList<>();

	private final Bench bench;

	private final Random random;

	private final Path journals;

	private Duration recovery = Duration.ZERO;

	private long struck = Long.MAX_VALUE;

	private Promise promise;

	/**
	 * Create a drill.
	 * @param atMost what is promised in spite of there being several faults
	 */
	Drill(Bench bench, Random random, Path journals, Promise atMost) {
		this.bench = bench;
		this.random = random;
		this.journals = journals;
		this.promise = atMost;
	}

	Findings run(List<List<Fault>> rows) {
		Team team = this.bench.team();
		Deployment deployment = this.bench.deployment();
		team.complete();
		deployment.awaitWell();
		long failovers = deployment.failovers();
		this.bench.ledger().takeEntries();
		Map<String, Long> before = this.bench.ledger().counts();
		try {
			team.work(this.random, this.journals);
			workUnder(rows);
		}
		catch (ConditionTimeoutException ex) {
			this.violations.add("No progress: " + ex.getMessage());
		}
		catch (RuntimeException ex) {
			this.violations.add("The drill has failed: " + ex);
		}
		finally {
			team.rest();
		}
		return look(team, before, rows.stream().flatMap(List::stream).toList(), deployment.failovers() - failovers);
	}

	private void workUnder(List<List<Fault>> rows) {
		awaitProgress(List.of("hot", "warm"));
		this.struck = System.nanoTime();
		strike(rows);
		long over = System.nanoTime();
		awaitProgress(LedgerServer.KEYS);
		this.recovery = Duration.ofNanos(System.nanoTime() - over);
	}

	private void awaitProgress(List<String> keys) {
		Map<String, Long> before = this.bench.ledger().counts();
		await().atMost(LIMIT)
			.until(this.bench.ledger()::counts,
					(now) -> keys.stream().allMatch((key) -> now.get(key) > before.get(key)));
	}

	private void strike(List<List<Fault>> rows) {
		List<CompletableFuture<Boolean>> running = new ArrayList<>();
		for (List<Fault> row : rows) {
			Random own = new Random(this.random.nextLong());
			running.add(Threads.start(() -> strike(row, own)));
		}
		Threads.join(CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)));
	}

	private boolean strike(List<Fault> row, Random own) throws Exception {
		for (Fault fault : row) {
			Span.last(Span.between(own, Duration.ZERO, LONGEST_DELAY));
			long begun = System.nanoTime();
			String event = fault.strike(own);
			Promise left = fault.promise(Duration.ofNanos(System.nanoTime() - begun));
			synchronized (this.events) {
				this.events.add(event);
				this.promise = this.promise.and(left);
			}
		}
		return true;
	}

	private Findings look(Team team, Map<String, Long> before, List<Fault> faults, long failovers) {
		History history = team.history(this.bench.ledger().takeEntries(), before);
		boolean unasked = failovers > faults.stream().filter(Fault::isFailover).count();
		// On a machine that is busy, a master may be given up that nothing has happened
		// to
		if (unasked) {
			this.promise = Promise.TWO_MASTERS;
			this.events.add("fail-over that nobody has asked for");
		}
		boolean unnoticed = !unasked && faults.stream().allMatch(Fault::isUnnoticed);
		this.violations.addAll(Checker.violations(history, this.promise, this.bench.deployment().slack(), unnoticed));
		this.violations.addAll(Leftovers.violations(this.bench.deployment().masters()));
		this.violations.addAll(team.errors());
		return new Findings(this.events, this.promise, history, this.struck, this.recovery, this.violations,
				this.journals);
	}

}
