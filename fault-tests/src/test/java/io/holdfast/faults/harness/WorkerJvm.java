package io.holdfast.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Pause;
import io.holdfast.faults.worker.Worker;
import io.holdfast.test.Signals;

/**
 * A JVM in which an application works under locks.
 */
public final class WorkerJvm implements AutoCloseable {

	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration REST = Duration.ofSeconds(30);

	private final String name;

	private final ApplicationJvm jvm;

	private volatile long diedAt = Long.MAX_VALUE;

	private volatile boolean resting;

	private Path journal = Path.of("none");

	WorkerJvm(String name, List<String> properties, Map<String, String> environment, Path directory) {
		this.name = name;
		this.jvm = new ApplicationJvm(name, Worker.class, properties, environment, directory);
	}

	public String name() {
		return this.name;
	}

	boolean isAlive() {
		return this.diedAt == Long.MAX_VALUE;
	}

	/**
	 * Return whether it can be told to work: it is there, and has done all that it was
	 * told before.
	 */
	boolean isResting() {
		return isAlive() && this.resting;
	}

	void awaitReady() {
		this.jvm.await("ready", START);
		this.resting = true;
	}

	/**
	 * Have it work.
	 * @param directory where to write down what it does
	 */
	void work(long seed, Path directory) {
		this.resting = false;
		this.journal = directory.resolve(this.name + ".journal");
		this.jvm.tell("work %d %s".formatted(seed, this.journal));
		this.jvm.await("working", REST);
	}

	void rest() {
		this.jvm.tell("rest");
	}

	void awaitRest() {
		this.jvm.await("resting", REST);
		this.resting = true;
	}

	/**
	 * Ask what time it is there.
	 */
	public Instant clock() {
		this.jvm.tell("clock");
		return Instant.ofEpochMilli(Long.parseLong(this.jvm.next(REST)));
	}

	/**
	 * End it at once.
	 */
	public void kill() {
		this.diedAt = System.nanoTime();
		this.jvm.close();
	}

	/**
	 * Keep it from doing anything for a time.
	 */
	public void freeze(Duration time) {
		Signals.stop(this.jvm.process());
		Span.last(time);
		Signals.goOn(this.jvm.process());
	}

	/**
	 * Tell what it has written down since it began to work, if it has begun.
	 */
	void readJournal(List<Attempt> attempts, List<Pause> pauses) {
		try {
			if (Files.exists(this.journal)) {
				Journal.read(this.journal, this.name, Math.min(this.diedAt, System.nanoTime()), attempts, pauses);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the errors in its log since the last call.
	 */
	List<String> errors() {
		return this.jvm.errors();
	}

	/**
	 * Have it write into its log what its threads do.
	 */
	void dumpThreads() {
		Signals.quit(this.jvm.process());
	}

	/**
	 * Have it leave in good order, or else end it.
	 */
	@Override
	public void close() {
		if (isAlive()) {
			try {
				this.jvm.tell("leave");
				this.jvm.awaitEnd(REST);
			}
			finally {
				kill();
			}
		}
	}

}
