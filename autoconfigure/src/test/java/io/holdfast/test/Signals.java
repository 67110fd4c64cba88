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
	 * Keep a process from doing anything.
	 */
	public static void stop(Process process) {
		send("STOP", process);
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

	private static void send(String name, Process process) {
		try {
			new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
