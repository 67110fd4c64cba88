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

	void asked(long time, String keys, String mode, String waitFor) {
		this.asked = time;
		this.keys = List.of(keys.split(","));
		this.mode = LockMode.valueOf(mode);
		this.waitFor = Duration.ofNanos(Long.parseLong(waitFor));
	}

	void entered(long time, String tokens) {
		this.entered = time;
		for (String token : tokens.split(",")) {
			int end = token.lastIndexOf('=');
			this.tokens.put(token.substring(0, end), Long.valueOf(token.substring(end + 1)));
		}
	}

	void wrote(String key, String count, String accepted) {
		this.writes.add(new Attempt.Write(key, Long.parseLong(count), Boolean.parseBoolean(accepted)));
	}

	void left(long time, long heldUntil) {
		this.left = time;
		this.heldUntil = heldUntil;
	}

	void told() {
		this.timesTold++;
	}

	void ended(long time, Outcome outcome, String detail) {
		this.ended = time;
		this.outcome = outcome;
		this.detail = detail;
	}

	Attempt build(long end) {
		return new Attempt(this.id, this.worker, this.keys, this.mode, this.asked, this.waitFor, section(end),
				this.outcome, (this.ended != null) ? this.ended : end, this.timesTold, this.detail);
	}

	private Attempt.@Nullable Section section(long end) {
		return this.tokens.isEmpty() ? null : new Attempt.Section(this.tokens, this.entered, this.heldUntil,
				(this.left != null) ? this.left : end, this.writes);
	}

}
