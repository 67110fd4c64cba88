package io.holdfast.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what a worker has written.
 */
public final class JournalReader {

	private final Map<String, AttemptBuilder> attempts = new LinkedHashMap<>();

	private final List<Pause> pauses = new ArrayList<>();

	private final String worker;

	private final long end;

	private JournalReader(String worker, long end) {
		this.worker = worker;
		this.end = end;
	}

	/**
	 * Read a journal. A line that its worker did not live to end is left out.
	 * @param end when the worker died; if it did not, any time after that of the last
	 * line
	 */
	public static JournalReader read(Path path, String worker, long end) throws IOException {
		JournalReader reader = new JournalReader(worker, end);
		String text = Files.readString(path);
		text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(reader::accept);
		return reader;
	}

	/**
	 * Return what the worker has done.
	 */
	public List<Attempt> attempts() {
		return this.attempts.values().stream().map((attempt) -> attempt.build(this.end)).toList();
	}

	/**
	 * Return when it has not done anything.
	 */
	public List<Pause> pauses() {
		return List.copyOf(this.pauses);
	}

	private void accept(String line) {
		String[] parts = line.split("\t", -1);
		long time = Long.parseLong(parts[0]);
		if (parts[1].equals("still")) {
			this.pauses.add(new Pause(this.worker, Long.parseLong(parts[2]), time));
			return;
		}
		AttemptBuilder attempt = this.attempts.computeIfAbsent(parts[2],
				(id) -> new AttemptBuilder(this.worker, this.worker + "#" + id));
		switch (parts[1]) {
			case "ask" -> attempt.asked(time, parts[3], parts[4], parts[5]);
			case "enter" -> attempt.entered(time, parts[3]);
			case "write" -> attempt.wrote(parts[3], parts[4], parts[5]);
			case "leave" -> attempt.left(time, Long.parseLong(parts[3]));
			case "told" -> attempt.told();
			case "end" -> attempt.ended(time, Outcome.valueOf(parts[3]), parts[4]);
			default -> throw new IllegalArgumentException(line);
		}
	}

}
