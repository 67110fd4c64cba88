package io.holdfast.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.holdfast.benchmarks.worker.Window;
import io.holdfast.benchmarks.worker.WorkerMain;
import io.holdfast.benchmarks.worker.WorkerResult;
import io.holdfast.benchmarks.worker.WorkerTask;

/**
 * A worker in a JVM of its own, as seen from the JVM that has started it.
 */
final class WorkerProcess implements AutoCloseable {

	/**
	 * For 10,000 locks to be acquired, and for the last threads to get theirs.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(120);

	private static final int LINES_OF_ERRORS = 12;

	private static final String END = "END";

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private final Path errors;

	private final Process process;

	private final PrintStream commands;

	private WorkerProcess(Process process, Path errors) {
		this.process = process;
		this.errors = errors;
		this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "worker-output");
		reader.setDaemon(true);
		reader.start();
	}

	static WorkerProcess start(WorkerTask task, List<String> jvmOptions) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(jvmOptions);
		command.addAll(List.of("-classpath", System.getProperty("java.class.path"), WorkerMain.class.getName()));
		command.addAll(task.arguments());
		Path errors = Files.createTempFile("holdfast-benchmarks", ".errors");
		return new WorkerProcess(new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			output.lines().forEach(this.lines::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// As good as the end
		}
		finally {
			this.lines.add(END);
		}
	}

	void awaitReady() throws InterruptedException {
		await(WorkerMain.READY);
	}

	/**
	 * Tell the worker when to measure.
	 */
	void open(Window window) {
		this.commands.println(window);
	}

	WorkerResult awaitResult() throws InterruptedException {
		return WorkerResult.parse(await(WorkerMain.RESULT));
	}

	/**
	 * Wait for a line, and pass over what libraries have printed.
	 */
	private String await(String start) throws InterruptedException {
		String line = "";
		while (!line.startsWith(start)) {
			line = this.lines.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
			if (line == null || line.equals(END)) {
				throw new IllegalStateException(((line != null) ? "The worker ended" : "The worker says nothing")
						+ " before " + start.strip() + ": " + errors());
			}
		}
		return line.substring(start.length());
	}

	/**
	 * The beginning says what was thrown, and the last cause why.
	 */
	private String errors() {
		try (var all = Files.lines(this.errors)) {
			return String.join("\n", all.filter((line) -> !line.startsWith("\t")).limit(LINES_OF_ERRORS).toList());
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	@Override
	public void close() throws IOException {
		this.process.destroyForcibly().onExit().join();
		Files.delete(this.errors);
	}

}
