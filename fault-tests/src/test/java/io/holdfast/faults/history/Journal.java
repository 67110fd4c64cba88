package io.holdfast.faults.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.LockMode;

/**
 * The file into which a worker writes what it does. What is written is with the operating
 * system at once, so it outlives the worker.
 */
public final class Journal implements AutoCloseable {

	private final Writer file;

	public Journal(Path path) throws IOException {
		this.file = Files.newBufferedWriter(path);
	}

	public void asked(long id, List<String> keys, LockMode mode, Duration waitFor) {
		write(System.nanoTime(), "ask", id, String.join(",", keys), mode, waitFor.toNanos());
	}

	public void entered(long id, long time, Map<String, Long> tokens) {
		String all = tokens.entrySet()
			.stream()
			.map((token) -> token.getKey() + "=" + token.getValue())
			.collect(Collectors.joining(","));
		write(time, "enter", id, all);
	}

	public void wrote(long id, String key, long count, boolean accepted) {
		write(System.nanoTime(), "write", id, key, count, accepted);
	}

	public void left(long id, long heldUntil) {
		write(System.nanoTime(), "leave", id, heldUntil);
	}

	public void told(long id) {
		write(System.nanoTime(), "told", id);
	}

	public void ended(long id, Outcome outcome, String detail) {
		write(System.nanoTime(), "end", id, outcome, detail.replaceAll("\\s+", " "));
	}

	public void stoodStill(long from, long to) {
		write(to, "still", from);
	}

	private void write(long time, String what, long id, Object... details) {
		String rest = Arrays.stream(details).map((detail) -> "\t" + detail).collect(Collectors.joining());
		writeLine(time + "\t" + what + "\t" + id + rest + "\n");
	}

	private synchronized void writeLine(String line) {
		try {
			this.file.write(line);
			this.file.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public synchronized void close() throws IOException {
		this.file.close();
	}

	/**
	 * Read a journal. A line that its worker did not live to end is left out.
	 * @param worker who has written it
	 * @param end when the worker died; if it did not, any time after that of the last
	 * line
	 * @param attempts gets what the worker has done
	 * @param pauses gets the times for which it stood still
	 */
	public static void read(Path path, String worker, long end, List<Attempt> attempts, List<Pause> pauses)
			throws IOException {
		Map<String, Attempt> read = new LinkedHashMap<>();
		String text = Files.readString(path);
		text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach((line) -> {
			String[] parts = line.split("\t", -1);
			long time = Long.parseLong(parts[0]);
			if (parts[1].equals("still")) {
				pauses.add(new Pause(worker, Long.parseLong(parts[2]), time));
				return;
			}
			read.computeIfAbsent(parts[2], (id) -> new Attempt(worker, worker + "#" + id, end))
				.add(time, parts[1], Arrays.copyOfRange(parts, 3, parts.length));
		});
		attempts.addAll(read.values());
	}

}
