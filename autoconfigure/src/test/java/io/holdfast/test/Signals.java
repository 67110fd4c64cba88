package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.awaitility.Awaitility.await;

/**
 * Signals to processes.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Keep a process from doing anything. On a busy machine, its other threads go on
	 * until the one that gets the signal runs, which is waited for where the system tells
	 * it.
	 */
	public static void stop(Process process) {
		int status = send("STOP", process);
		if (status != 0) {
			throw new IllegalStateException("Process %d was not stopped: %d".formatted(process.pid(), status));
		}
		await().pollDelay(Duration.ZERO).ignoreExceptions().until(() -> !process.isAlive() || isStopped(process));
	}

	private static boolean isStopped(Process process) throws IOException {
		Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
		return !Files.exists(state) || Files.readString(state).contains(") T ");
	}

	public static void goOn(Process process) {
		int status = send("CONT", process);
		if (status != 0 && process.isAlive()) {
			throw new IllegalStateException("Process %d does not go on: %d".formatted(process.pid(), status));
		}
	}

	/**
	 * Have a JVM print what its threads do.
	 */
	public static void quit(Process process) {
		send("QUIT", process);
	}

	public static void terminate(Process process) {
		send("TERM", process);
	}

	private static int send(String name, Process process) {
		return send(name, List.of(process.toHandle()));
	}

	/**
	 * Send a signal, and return 0 if all have got it.
	 */
	public static int send(String name, List<ProcessHandle> processes) {
		List<String> command = new ArrayList<>(List.of("kill", "-" + name));
		processes.forEach((process) -> command.add(Long.toString(process.pid())));
		ProcessBuilder kill = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		// It does not know all names in Turkish
		kill.environment().put("LC_ALL", "C");
		try {
			return kill.start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return -1;
		}
	}

}
