package io.holdfast.adapters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.test.JavaCommand;
import io.holdfast.test.OrphanGuard;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application in a JVM of its own. It is told what to do by lines of its input, and
 * what it prints begins with an {@code @}.
 */
final class ApplicationProcess implements AutoCloseable {

	/**
	 * Two applications that start at the same time may take long on a busy machine.
	 */
	static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Process process;

	private final Path output;

	private final OrphanGuard guard;

	ApplicationProcess(Class<?> main, Path directory, String... arguments) {
		List<String> command = JavaCommand.shortLived("-Xmx128m", "-Xshare:auto", main.getName());
		command.addAll(List.of(arguments));
		try {
			this.output = Files.createTempFile(directory, "output", ".txt");
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(this.output.toFile());
			builder.environment().putAll(Map.of("CLASSPATH", System.getProperty("java.class.path")));
			this.process = builder.start();
			this.guard = new OrphanGuard(this.process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void tell(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(output(), ex);
		}
	}

	/**
	 * Wait for a line that begins with a text, and return what follows there.
	 */
	String await(String begin) {
		Awaitility.await(begin)
			.atMost(PATIENCE)
			.failFast("The application has ended", () -> assertThat(this.process.isAlive()).as(this::output).isTrue())
			.until(() -> !lines(begin).isEmpty());
		return lines(begin).get(0);
	}

	/**
	 * Return what follows in each line that begins with a text.
	 */
	List<String> lines(String begin) {
		return output().lines()
			.filter((line) -> line.startsWith("@" + begin))
			.map((line) -> line.substring(begin.length() + 1).trim())
			.toList();
	}

	private String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ask it to end, as operators do, and wait until it has.
	 */
	void stop() {
		this.process.destroy();
		this.process.onExit().join();
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
