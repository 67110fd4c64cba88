package io.holdfast.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Pause;
import io.holdfast.faults.worker.WorkerApplication;
import io.holdfast.test.Signals;

/**
 * The workers of a bench: with one Redis client and with the other.
 */
final class Team {

	/**
	 * One more in a long run: in others, most of the time would go to starting it.
	 */
	private static final List<String> CLIENTS = Bench.MIXING.isZero() ? List.of("jedis", "lettuce")
			: List.of("jedis", "lettuce", "jedis");

	private final List<WorkerJvm> workers = new ArrayList<>();

	private final List<String> properties;

	private final Path directory;

	private int hired;

	Team(List<String> properties, Path directory) {
		this.properties = properties;
		this.directory = directory;
	}

	/**
	 * Fill the places of those who are not there, or not any more, or do not do as they
	 * are told.
	 */
	void complete() {
		List<WorkerJvm> lost = this.workers.stream().filter((worker) -> !worker.isResting()).toList();
		lost.forEach(WorkerJvm::kill);
		this.workers.removeAll(lost);
		List<String> missing = new ArrayList<>(CLIENTS);
		this.workers.forEach((worker) -> missing.remove(worker.name().split("-")[0]));
		List<WorkerJvm> hired = missing.stream()
			.map((client) -> start(client, List.of("spring.data.redis.client-type=" + client), Map.of()))
			.toList();
		hired.forEach(WorkerJvm::awaitReady);
	}

	private WorkerJvm start(String kind, List<String> more, Map<String, String> environment) {
		List<String> all = new ArrayList<>(this.properties);
		all.addAll(more);
		WorkerJvm worker = new WorkerJvm(kind + "-" + ++this.hired, WorkerApplication.class, all, environment,
				this.directory);
		this.workers.add(worker);
		return worker;
	}

	WorkerJvm hire(List<String> more, Map<String, String> environment) {
		List<String> all = new ArrayList<>(List.of("spring.data.redis.client-type=jedis"));
		all.addAll(more);
		WorkerJvm worker = start("other", all, environment);
		worker.awaitReady();
		return worker;
	}

	void dismiss(WorkerJvm worker) {
		this.workers.remove(worker);
		worker.leave();
	}

	WorkerJvm any(Random random) {
		List<WorkerJvm> alive = alive();
		return alive.get(random.nextInt(alive.size()));
	}

	private List<WorkerJvm> alive() {
		return this.workers.stream().filter(WorkerJvm::isAlive).toList();
	}

	void work(Random random, Path journals) {
		this.workers.forEach((worker) -> worker.work(random.nextInt(), journals));
	}

	void rest() {
		List<WorkerJvm> alive = alive();
		alive.forEach((worker) -> worker.tell("rest"));
		try {
			alive.forEach(WorkerJvm::awaitRest);
		}
		catch (IllegalStateException ex) {
			alive.forEach((worker) -> Signals.quit(worker.process()));
			throw ex;
		}
	}

	History history(List<History.Entry> ledger, Map<String, Long> ledgerBefore) {
		List<Attempt> attempts = new ArrayList<>();
		List<Pause> pauses = new ArrayList<>();
		this.workers.forEach((worker) -> worker.readJournal(attempts, pauses));
		return new History(attempts, pauses, ledger, ledgerBefore);
	}

	List<String> errors() {
		return this.workers.stream().flatMap((worker) -> worker.errors().stream()).toList();
	}

	void leave() {
		this.workers.forEach(WorkerJvm::leave);
	}

}
