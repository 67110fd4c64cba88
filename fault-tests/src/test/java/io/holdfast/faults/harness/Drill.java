package io.holdfast.faults.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.holdfast.faults.check.Checker;
import io.holdfast.faults.check.Promise;
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

	Drill(Bench bench, Random random, Path journals) {
		this.bench = bench;
		this.random = random;
		this.journals = journals;
	}

	Findings run(List<List<Fault>> rows, Promise atMost) {
		Team team = this.bench.team();
		Deployment deployment = this.bench.deployment();
		team.complete();
		deployment.awaitWell();
		long failovers = deployment.failovers();
		Map<String, Long> before = this.bench.ledger().counts();
		team.work(this.random, this.journals);
		try {
			awaitProgress(List.of("hot", "warm"));
			strike(rows);
			long over = System.nanoTime();
			awaitProgress(LedgerServer.KEYS);
			this.recovery = Duration.ofNanos(System.nanoTime() - over);
		}
		catch (ConditionTimeoutException ex) {
			this.violations.add("No progress: " + ex.getMessage());
		}
		team.rest();
		return look(team, before, promise(rows, atMost).and(unasked(rows, deployment.failovers() - failovers)));
	}

	/**
	 * On a machine that is busy, a master may be given up that nothing has happened to.
	 */
	private Promise unasked(List<List<Fault>> rows, long failovers) {
		long asked = rows.stream().flatMap(List::stream).filter(Fault::isFailover).count();
		if (failovers <= asked) {
			return Promise.NOTHING_LOST;
		}
		this.events.add("fail-over that nobody has asked for");
		return Promise.TWO_MASTERS;
	}

	private static Promise promise(List<List<Fault>> rows, Promise atMost) {
		return rows.stream().flatMap(List::stream).map(Fault::promise).reduce(atMost, Promise::and);
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
		running.forEach(Threads::join);
	}

	private boolean strike(List<Fault> row, Random own) throws Exception {
		for (Fault fault : row) {
			Span.last(Span.between(own, Duration.ZERO, LONGEST_DELAY));
			String event = fault.strike(own);
			synchronized (this.events) {
				this.events.add(event);
			}
		}
		return true;
	}

	private Findings look(Team team, Map<String, Long> before, Promise promise) {
		History history = new History(team.attempts(), team.pauses(), this.bench.ledger().takeEntries(), before);
		this.violations.addAll(new Checker(this.bench.deployment().slack()).violations(history, promise));
		this.violations.addAll(Leftovers.violations(this.bench.deployment().masters()));
		this.violations.addAll(team.errors());
		return new Findings(this.events, promise, history, this.recovery, this.violations, this.journals);
	}

}
