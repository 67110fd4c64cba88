package io.holdfast.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Pause;
import io.holdfast.faults.worker.Worker;
import io.holdfast.test.JavaCommand;
import io.holdfast.test.OrphanGuard;
import io.holdfast.test.Signals;
import org.jspecify.annotations.Nullable;

/**
 * A JVM in which an application works under locks. It is told what to do by lines of its
 * input, and answers by lines that begin with an {@code @}.
 */
public final class WorkerJvm implements AutoCloseable {

	private static final Duration START = Duration.ofMinutes(3);

	private static final String END = "the end";

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private final BlockingQueue<String> errors = new LinkedBlockingQueue<>();

	private final String name;

	private final Path log;

	private final Process process;

	private final OrphanGuard guard;

	private final Thread reader;

	private volatile long diedAt = Long.MAX_VALUE;

	private volatile boolean resting;

	private Path journal = Path.of("none");

	public WorkerJvm(String name, Class<?> application, List<String> properties, Map<String, String> environment,
			Path directory) {
		this.name = name;
		this.log = directory.resolve(name + ".log");
		List<String> command = JavaCommand.shortLived("-Xmx128m", "-Xshare:auto", Worker.class.getName(),
				application.getName());
		properties.forEach((property) -> command.add("--" + property));
		try {
			Files.createDirectories(directory);
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
			builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
			builder.environment().putAll(environment);
			this.process = builder.start();
			this.guard = new OrphanGuard(this.process.toHandle());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.reader = new Thread(this::read, "output-of-" + name);
		this.reader.setDaemon(true);
		this.reader.start();
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader(StandardCharsets.UTF_8);
				Writer file = Files.newBufferedWriter(this.log)) {
			for (String line = next(lines); line != null; line = next(lines)) {
				if (line.startsWith("@")) {
					this.answers.add(line.substring(1));
					continue;
				}
				if (line.contains("ERROR") || line.startsWith("Exception in thread")) {
					this.errors.add(this.name + ": " + line);
				}
				file.write(line + "\n");
				file.flush();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.answers.add(END);
		}
	}

	private static @Nullable String next(BufferedReader lines) {
		try {
			return lines.readLine();
		}
		catch (IOException ex) {
			return null; // the worker has been killed
		}
	}

	String name() {
		return this.name;
	}

	public void tell(String command) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((command + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(this.name + " has died: " + command, ex);
		}
	}

	public String next() {
		return next(LIMIT);
	}

	private String next(Duration limit) {
		try {
			String answer = this.answers.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
			return (answer != null) ? answer : "no answer within " + limit;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void await(String answer, Duration limit) {
		String next = next(limit);
		if (!answer.equals(next)) {
			throw new IllegalStateException(
					"%s should be %s, but: %s; see %s".formatted(this.name, answer, next, this.log));
		}
	}

	public void awaitReady() {
		await("ready", START);
		this.resting = true;
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

	void work(long seed, Path directory) {
		this.resting = false;
		this.journal = directory.resolve(this.name + ".journal");
		tell("work %d %s".formatted(seed, this.journal));
		await("working", LIMIT);
	}

	void awaitRest() {
		await("resting", LIMIT);
		this.resting = true;
	}

	Instant clock() {
		tell("clock");
		return Instant.ofEpochMilli(Long.parseLong(next()));
	}

	void kill() {
		this.diedAt = System.nanoTime();
		this.guard.close();
		this.process.destroyForcibly().onExit().join();
	}

	public Process process() {
		return this.process;
	}

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

	public List<String> errors() {
		List<String> all = new ArrayList<>();
		this.errors.drainTo(all);
		return all;
	}

	public List<String> awaitEnd() {
		try {
			this.reader.join(LIMIT.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		if (this.reader.isAlive()) {
			Signals.quit(this.process);
			throw new IllegalStateException("%s does not end; see %s".formatted(this.name, this.log));
		}
		List<String> all = new ArrayList<>();
		this.answers.drainTo(all);
		all.remove(END);
		return all;
	}

	public List<String> log() {
		try {
			return Files.readAllLines(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void leave() {
		if (isAlive()) {
			try {
				tell("leave");
				awaitEnd();
			}
			finally {
				kill();
			}
		}
	}

	@Override
	public void close() {
		kill();
	}

}
