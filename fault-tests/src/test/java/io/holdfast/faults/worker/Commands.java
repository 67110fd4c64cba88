package io.holdfast.faults.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What a worker is told, and answers. Answers begin with an {@code @}, since others write
 * to the same output.
 */
final class Commands {

	/**
	 * Ends the work and the program in good order.
	 */
	private static final String LEAVE = "leave";

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private final PrintStream output;

	Commands(InputStream input, PrintStream output) {
		this.output = output;
		BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
		Thread thread = new Thread(() -> read(reader), "commands");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Whoever has started the worker is gone when there is nothing more to be read.
	 */
	private void read(BufferedReader reader) {
		try {
			String line = reader.readLine();
			while (line != null) {
				this.lines.add(line);
				line = reader.readLine();
			}
		}
		catch (IOException ex) {
			// The same as the end
		}
		Runtime.getRuntime().halt(1);
	}

	/**
	 * Do as is told, to the end.
	 */
	void follow(Shift shift) throws IOException {
		answer("ready");
		String line = next();
		while (!LEAVE.equals(line)) {
			answer(reply(line.split(" ", 3), shift));
			line = next();
		}
	}

	private static String reply(String[] command, Shift shift) throws IOException {
		switch (command[0]) {
			case "work" -> shift.begin(Long.parseLong(command[1]), Path.of(command[2]));
			case "rest" -> shift.end();
			default -> {
				return Long.toString(System.currentTimeMillis());
			}
		}
		return command[0].equals("work") ? "working" : "resting";
	}

	private String next() {
		try {
			return this.lines.take();
		}
		catch (InterruptedException ex) {
			return LEAVE;
		}
	}

	private void answer(String text) {
		this.output.println("@" + text);
		this.output.flush();
	}

}
