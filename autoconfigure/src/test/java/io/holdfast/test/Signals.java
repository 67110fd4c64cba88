package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

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
		send("CONT", process);
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
		try {
			return new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
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
