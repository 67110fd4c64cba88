package io.holdfast.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Puts an attempt together from the lines of a journal.
 */
final class AttemptBuilder {

	private final String worker;

	private final String id;

	private final Map<String, Long> tokens = new LinkedHashMap<>();

	private final List<Attempt.Write> writes = new ArrayList<>();

	private List<String> keys = List.of();

	private LockMode mode = LockMode.EXCLUSIVE;

	private Duration waitFor = Duration.ZERO;

	private long asked;

	private long entered;

	private long heldUntil = Long.MIN_VALUE;

	private @Nullable Long left;

	private @Nullable Long ended;

	private @Nullable Outcome outcome;

	private int timesTold;

	private String detail = "";

	AttemptBuilder(String worker, String id) {
		this.worker = worker;
		this.id = id;
	}

	/**
	 * Add a line.
	 * @param what what has happened
	 * @param details more about it
	 */
	AttemptBuilder add(long time, String what, String... details) {
		switch (what) {
			case "ask" -> {
				this.asked = time;
				this.keys = List.of(details[0].split(","));
				this.mode = LockMode.valueOf(details[1]);
				this.waitFor = Duration.ofNanos(Long.parseLong(details[2]));
			}
			case "enter" -> {
				this.entered = time;
				for (String token : details[0].split(",")) {
					int end = token.lastIndexOf('=');
					this.tokens.put(token.substring(0, end), Long.valueOf(token.substring(end + 1)));
				}
			}
			case "write" -> this.writes
				.add(new Attempt.Write(details[0], Long.parseLong(details[1]), Boolean.parseBoolean(details[2])));
			case "leave" -> {
				this.left = time;
				this.heldUntil = Long.parseLong(details[0]);
			}
			case "told" -> this.timesTold++;
			case "end" -> {
				this.ended = time;
				this.outcome = Outcome.valueOf(details[0]);
				this.detail = details[1];
			}
			default -> throw new IllegalArgumentException(what);
		}
		return this;
	}

	/**
	 * Build the attempt.
	 * @param end when all ended that has not ended itself
	 */
	Attempt build(long end) {
		Attempt.Section section = this.tokens.isEmpty() ? null : new Attempt.Section(this.tokens, this.entered,
				this.heldUntil, (this.left != null) ? this.left : end, this.writes);
		return new Attempt(this.id, this.worker, this.keys, this.mode, this.asked, this.waitFor, section, this.outcome,
				(this.ended != null) ? this.ended : end, this.timesTold, this.detail);
	}

}
