package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A worker in a JVM of its own, as seen from the JVM that has started it.
 */
final class WorkerProcess implements AutoCloseable {

	/**
	 * For 10,000 locks to be acquired, and for the last threads to get theirs.
	 */
	private static final int LIMIT_SECONDS = 120;

	private final Path errors = Files.createTempFile("holdfast-benchmarks", ".errors");

	private final Process process;

	private final BufferedReader output;

	private final PrintStream commands;

	WorkerProcess(List<String> jvmOptions, String classPath, Class<?> main, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(jvmOptions);
		command.addAll(List.of("-classpath", classPath, main.getName()));
		command.addAll(arguments);
		this.process = new ProcessBuilder(command).redirectError(this.errors.toFile()).start();
		this.output = this.process.inputReader();
		this.commands = new PrintStream(this.process.getOutputStream(), true);
	}

	void open(Window window) {
		this.commands.println(window);
	}

	/**
	 * Wait for a line that starts so, pass over what libraries have printed, and return
	 * the rest of it.
	 */
	String await(String start) throws Exception {
		CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> read(start));
		try {
			return line.get(LIMIT_SECONDS, TimeUnit.SECONDS).substring(start.length());
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("The worker does not say " + start, ex);
		}
	}

	private String read(String start) {
		return this.output.lines().filter((line) -> line.startsWith(start)).findFirst().orElseThrow(() -> {
			try {
				return new IllegalStateException("The worker ended:\n" + Files.readString(this.errors));
			}
			catch (IOException ex) {
				return new UncheckedIOException(ex);
			}
		});
	}

	@Override
	public void close() throws IOException {
		this.process.destroyForcibly().onExit().join();
		Files.delete(this.errors);
	}

}
