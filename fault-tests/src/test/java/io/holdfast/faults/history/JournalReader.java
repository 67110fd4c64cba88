package io.holdfast.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what a worker has written.
 */
public final class JournalReader {

	private final Map<String, AttemptBuilder> attempts = new LinkedHashMap<>();

	private final String worker;

	private JournalReader(String worker) {
		this.worker = worker;
	}

	/**
	 * Read a journal. A line that its worker did not live to end is left out.
	 * @param end when the worker died; if it did not, any time after that of the last
	 * line
	 */
	public static List<Attempt> read(Path path, String worker, long end) throws IOException {
		JournalReader reader = new JournalReader(worker);
		String text = Files.readString(path);
		text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(reader::accept);
		return reader.attempts.values().stream().map((attempt) -> attempt.build(end)).toList();
	}

	private void accept(String line) {
		String[] parts = line.split("\t", -1);
		long time = Long.parseLong(parts[0]);
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
