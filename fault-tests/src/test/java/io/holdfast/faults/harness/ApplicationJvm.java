package io.holdfast.faults.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.test.JavaCommand;
import io.holdfast.test.OrphanGuard;
import io.holdfast.test.Signals;

/**
 * A JVM in which an application runs. It is told what to do by lines of its input, and
 * answers by lines that begin with an {@code @}.
 */
public final class ApplicationJvm implements AutoCloseable {

	private final String name;

	private final Process process;

	private final WorkerOutput output;

	private final OrphanGuard guard;

	/**
	 * Start a JVM.
	 * @param name what it is called, in messages and by its log
	 * @param main the application
	 * @param properties properties of the application
	 * @param environment what is different about its environment
	 * @param directory where its log is to be
	 */
	public ApplicationJvm(String name, Class<?> main, List<String> properties, Map<String, String> environment,
			Path directory) {
		this.name = name;
		try {
			ProcessBuilder builder = new ProcessBuilder(command(main, properties)).redirectErrorStream(true);
			builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
			builder.environment().putAll(environment);
			this.process = builder.start();
			this.guard = new OrphanGuard(this.process);
			this.output = new WorkerOutput(name, this.process.getInputStream(), directory.resolve(name + ".log"));
			Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly, "worker-close"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> command(Class<?> main, List<String> properties) {
		List<String> command = JavaCommand.shortLived("-Xmx128m", "-Xshare:auto", main.getName());
		properties.forEach((property) -> command.add("--" + property));
		return command;
	}

	Process process() {
		return this.process;
	}

	void tell(String command) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((command + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(this.name + " has died: " + command, ex);
		}
	}

	/**
	 * Wait for an answer.
	 */
	public void await(String answer, Duration limit) {
		this.output.await(answer, limit);
	}

	/**
	 * Wait for the next answer.
	 */
	public String next(Duration limit) {
		return this.output.next(limit);
	}

	/**
	 * Ask it to end, as operators and their tools do.
	 */
	public void terminate() {
		Signals.terminate(this.process);
	}

	/**
	 * Wait until it has ended, and all that it has printed is there.
	 * @return its exit code
	 */
	public int awaitExit(Duration limit) {
		try {
			if (!this.process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
				Signals.quit(this.process);
				throw new IllegalStateException("%s does not end within %s".formatted(this.name, limit));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		awaitEnd(limit);
		return this.process.exitValue();
	}

	void awaitEnd(Duration limit) {
		this.output.awaitEnd(limit);
	}

	/**
	 * Return what it has answered since it was last asked. For when it has ended.
	 */
	public List<String> answers() {
		return this.output.answers();
	}

	/**
	 * Return the errors in its log since the last call.
	 */
	public List<String> errors() {
		return this.output.errors();
	}

	/**
	 * Return its log.
	 */
	public List<String> log() {
		return this.output.log();
	}

	/**
	 * End it at once.
	 */
	@Override
	public void close() {
		this.guard.close();
		this.process.destroyForcibly().onExit().join();
	}

}
