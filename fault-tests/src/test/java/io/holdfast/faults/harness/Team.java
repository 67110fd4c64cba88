package io.holdfast.faults.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Pause;

/**
 * The workers of a bench: with one Redis client and with the other.
 */
public final class Team implements AutoCloseable {

	/**
	 * One more in a long run: in others, most of the time would go to starting it.
	 */
	private static final List<String> CLIENTS = Mix.isLong() ? List.of("jedis", "lettuce", "jedis")
			: List.of("jedis", "lettuce");

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
		List<WorkerJvm> hired = new ArrayList<>();
		for (String client : missing()) {
			hired.add(start(client, List.of("spring.data.redis.client-type=" + client), Map.of()));
		}
		hired.forEach(WorkerJvm::awaitReady);
	}

	private List<String> missing() {
		List<String> missing = new ArrayList<>(CLIENTS);
		this.workers.forEach((worker) -> missing.remove(worker.name().split("-")[0]));
		return missing;
	}

	private WorkerJvm start(String kind, List<String> more, Map<String, String> environment) {
		List<String> all = new ArrayList<>(this.properties);
		all.addAll(more);
		WorkerJvm worker = new WorkerJvm(kind + "-" + ++this.hired, all, environment, this.directory);
		this.workers.add(worker);
		return worker;
	}

	/**
	 * Add a worker for a time, which is different from the others.
	 */
	WorkerJvm hire(List<String> more, Map<String, String> environment) {
		List<String> all = new ArrayList<>(List.of("spring.data.redis.client-type=jedis"));
		all.addAll(more);
		WorkerJvm worker = start("other", all, environment);
		worker.awaitReady();
		return worker;
	}

	/**
	 * Have a worker leave.
	 */
	void dismiss(WorkerJvm worker) {
		this.workers.remove(worker);
		worker.close();
	}

	/**
	 * Return one of those that are there.
	 */
	public WorkerJvm any(Random random) {
		List<WorkerJvm> alive = this.workers.stream().filter(WorkerJvm::isAlive).toList();
		return alive.get(random.nextInt(alive.size()));
	}

	void work(Random random, Path journals) {
		this.workers.forEach((worker) -> worker.work(random.nextInt(), journals));
	}

	/**
	 * Have all rest, and wait until they do.
	 */
	void rest() {
		List<WorkerJvm> alive = this.workers.stream().filter(WorkerJvm::isAlive).toList();
		alive.forEach(WorkerJvm::rest);
		try {
			alive.forEach(WorkerJvm::awaitRest);
		}
		catch (IllegalStateException ex) {
			alive.forEach(WorkerJvm::dumpThreads);
			throw ex;
		}
	}

	/**
	 * Return what all have done.
	 */
	History history(List<History.Entry> ledger, Map<String, Long> ledgerBefore) {
		List<Attempt> attempts = new ArrayList<>();
		List<Pause> pauses = new ArrayList<>();
		this.workers.forEach((worker) -> worker.readJournal(attempts, pauses));
		return new History(attempts, pauses, ledger, ledgerBefore);
	}

	List<String> errors() {
		return this.workers.stream().flatMap((worker) -> worker.errors().stream()).toList();
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerJvm::close);
	}

}
