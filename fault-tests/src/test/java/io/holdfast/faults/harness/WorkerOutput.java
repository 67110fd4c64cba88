package io.holdfast.faults.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * What a worker prints: answers, and a log.
 */
final class WorkerOutput {

	private static final String END = "the end";

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private final List<String> errors = new ArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	private final String name;

	private final Path log;

	WorkerOutput(String name, InputStream output, Path log) {
		this.name = name;
		this.log = log;
		Thread thread = new Thread(() -> read(output), "output-of-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	private void read(InputStream output) {
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8));
				Writer file = Files.newBufferedWriter(this.log)) {
			String line = next(lines);
			while (line != null) {
				accept(line, file);
				line = next(lines);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.answers.add(END);
			this.end.countDown();
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

	private void accept(String line, Writer file) throws IOException {
		if (line.startsWith("@")) {
			this.answers.add(line.substring(1));
			return;
		}
		if (line.contains("ERROR") || line.startsWith("Exception in thread")) {
			synchronized (this.errors) {
				this.errors.add(this.name + ": " + line);
			}
		}
		file.write(line + "\n");
		file.flush();
	}

	/**
	 * Wait for an answer.
	 */
	void await(String answer, Duration limit) {
		String next = next(limit);
		if (!answer.equals(next)) {
			throw new IllegalStateException(
					"%s should be %s, but: %s; see %s".formatted(this.name, answer, next, this.log));
		}
	}

	/**
	 * Wait for the next answer.
	 */
	String next(Duration limit) {
		try {
			String next = this.answers.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
			return (next != null) ? next : "no answer within " + limit;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	void awaitEnd(Duration limit) {
		try {
			if (!this.end.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new IllegalStateException("%s does not end; see %s".formatted(this.name, this.log));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the answers that nobody has waited for. For when it has ended.
	 */
	List<String> answers() {
		List<String> rest = new ArrayList<>();
		this.answers.drainTo(rest);
		rest.remove(END);
		return rest;
	}

	/**
	 * Return the log.
	 */
	List<String> log() {
		try {
			return Files.readAllLines(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the errors since the last call.
	 */
	List<String> errors() {
		synchronized (this.errors) {
			List<String> all = List.copyOf(this.errors);
			this.errors.clear();
			return all;
		}
	}

}
