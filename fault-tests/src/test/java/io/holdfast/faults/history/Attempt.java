package io.holdfast.faults.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get locks and to work under them. All times are nanoseconds of the
 * monotonic clock, which all processes of a machine share.
 *
 * @param id name of the attempt, which begins with the worker's
 * @param worker who made it
 * @param keys what it asked for
 * @param mode exclusive or shared
 * @param asked when it asked
 * @param waitFor how long it wanted to wait
 * @param section what it did under the locks, or {@code null} if it did not get them
 * @param outcome how it ended, or {@code null} when its worker died
 * @param ended when it ended, or its worker died
 * @param timesTold how often its listener was told that the lock was lost
 * @param detail more about the outcome
 */
public record Attempt(String id, String worker, List<String> keys, LockMode mode, long asked, Duration waitFor,
		@Nullable Section section, @Nullable Outcome outcome, long ended, int timesTold, String detail) {

	/**
	 * Return what it did under the locks. For one that has got them.
	 */
	public Section inside() {
		return Objects.requireNonNull(this.section);
	}

	long token(String key) {
		return Objects.requireNonNull(inside().tokens().get(key));
	}

	/**
	 * Return whether anybody was told that the lock was lost.
	 */
	public boolean isLossTold() {
		return this.timesTold > 0 || this.outcome == Outcome.LOST;
	}

	/**
	 * Return whether the worker died on the way.
	 */
	boolean isCutOff() {
		return this.outcome == null;
	}

	/**
	 * What was done under the locks.
	 *
	 * @param tokens fencing token of each key
	 * @param entered when the code began
	 * @param heldUntil when the lock was last said to be held; before it was entered when
	 * it never was
	 * @param left when the code ended, or its worker died
	 * @param writes what it has written
	 */
	public record Section(Map<String, Long> tokens, long entered, long heldUntil, long left, List<Write> writes) {
	}

	/**
	 * A write to the ledger.
	 *
	 * @param key what was written
	 * @param count the number that was written, if it was accepted
	 * @param accepted whether it was not refused for its token
	 */
	public record Write(String key, long count, boolean accepted) {
	}

}
