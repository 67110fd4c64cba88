package io.holdfast.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get locks and to work under them, as told by the lines of a journal. All
 * times are nanoseconds of the monotonic clock, which all processes of a machine share.
 */
public final class Attempt {

	final String worker;

	final String id;

	List<String> keys = List.of();

	LockMode mode = LockMode.EXCLUSIVE;

	Duration waitFor = Duration.ZERO;

	long asked;

	/**
	 * When the code under the locks began.
	 */
	long entered;

	/**
	 * When the lock was last said to be held; before it was entered when it never was.
	 */
	long heldUntil = Long.MIN_VALUE;

	/**
	 * When the code ended, or its worker died.
	 */
	long left;

	/**
	 * When it was back at its caller, or its worker died.
	 */
	long ended;

	/**
	 * How it ended, or {@code null} when its worker died.
	 */
	@Nullable Outcome outcome;

	int timesTold;

	String detail = "";

	final List<Write> writes = new ArrayList<>();

	private final Map<String, Long> tokens = new LinkedHashMap<>();

	/**
	 * Create an attempt.
	 * @param id its name, which begins with the worker's
	 * @param end when its worker died, or any time after its last line
	 */
	Attempt(String worker, String id, long end) {
		this.worker = worker;
		this.id = id;
		this.left = end;
		this.ended = end;
	}

	void add(long time, String what, String... details) {
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
			case "write" ->
				this.writes.add(new Write(details[0], Long.parseLong(details[1]), Boolean.parseBoolean(details[2])));
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
	}

	public boolean isGranted() {
		return !this.tokens.isEmpty();
	}

	long token(String key) {
		return Objects.requireNonNull(this.tokens.get(key));
	}

	public boolean isLossTold() {
		return this.timesTold > 0 || this.outcome == Outcome.LOST;
	}

	boolean isCutOff() {
		return this.outcome == null;
	}

	public boolean hasEnded(Outcome expected) {
		return this.outcome == expected;
	}

	/**
	 * Return whether a worker was in its section after a time, and released it.
	 */
	public boolean isSectionOf(String other, long after) {
		return isGranted() && this.worker.equals(other) && hasEnded(Outcome.RELEASED) && this.entered > after;
	}

	/**
	 * A write to the ledger.
	 *
	 * @param key what was written
	 * @param count the number that was written, if it was accepted
	 * @param accepted whether it was not refused for its token
	 */
	record Write(String key, long count, boolean accepted) {
	}

}
