package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Signals to processes.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Keep a process from doing anything. On a busy machine, silence does not show that
	 * it has stopped.
	 */
	public static void stop(Process process) {
		int status = send("STOP", process);
		if (status != 0) {
			throw new IllegalStateException("Process %d was not stopped: %d".formatted(process.pid(), status));
		}
	}

	/**
	 * Let a process go on that was stopped.
	 */
	public static void goOn(Process process) {
		send("CONT", process);
	}

	/**
	 * Have a JVM print what its threads do.
	 */
	public static void quit(Process process) {
		send("QUIT", process);
	}

	/**
	 * Ask a process to end.
	 */
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
