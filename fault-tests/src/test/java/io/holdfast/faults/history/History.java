package io.holdfast.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What all workers have done between two rests.
 *
 * @param attempts their attempts
 * @param pauses when workers stood still
 * @param ledger what the ledger has accepted, in its order
 * @param ledgerBefore what numbers the ledger had before
 */
public record History(List<Attempt> attempts, List<Pause> pauses, List<Entry> ledger, Map<String, Long> ledgerBefore) {

	public Map<String, List<Attempt>> granted() {
		Map<String, List<Attempt>> granted = new TreeMap<>();
		for (Attempt attempt : this.attempts) {
			if (attempt.isGranted()) {
				attempt.keys.forEach((key) -> granted.computeIfAbsent(key, (name) -> new ArrayList<>()).add(attempt));
			}
		}
		return granted;
	}

	public Duration longestPause() {
		return Duration.ofNanos(this.pauses.stream().mapToLong((pause) -> pause.to() - pause.from()).max().orElse(0));
	}

	public Duration pausedDuring(Attempt attempt) {
		return Duration.ofNanos(paused(attempt.worker, attempt.asked, attempt.ended));
	}

	public long paused(String worker, long from, long to) {
		return this.pauses.stream()
			.filter((pause) -> pause.worker().equals(worker))
			.mapToLong((pause) -> pause.within(from, to))
			.sum();
	}

	/**
	 * Return how much longer than it wanted an attempt has waited; negative when it did
	 * not wait so long.
	 */
	public Duration beyondLimit(Attempt attempt) {
		long end = attempt.isGranted() ? attempt.entered : attempt.ended;
		long waited = end - attempt.asked - paused(attempt.worker, attempt.asked, end);
		return Duration.ofNanos(waited).minus(attempt.waitFor);
	}

	/**
	 * A write that the ledger has accepted.
	 *
	 * @param key what was written
	 * @param token the token it was written with
	 * @param count the number that was written
	 */
	public record Entry(String key, long token, long count) {
	}

}
