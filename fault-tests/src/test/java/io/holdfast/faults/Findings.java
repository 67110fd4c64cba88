package io.holdfast.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Outcome;
import io.holdfast.faults.history.Promise;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a drill has found.
 *
 * @param events what has happened
 * @param promise what should be kept in spite of it
 * @param history what was done
 * @param struck when the first fault began
 * @param recovery how long it took until all was well after it
 * @param violations what was broken
 * @param journals where more is to be found
 */
record Findings(List<String> events, Promise promise, History history, long struck, Duration recovery,
		List<String> violations, Path journals) {

	private static final int SHOWN = 20;

	Findings requireNone() {
		assertThat(this.violations.isEmpty()).as(summary()).isTrue();
		return this;
	}

	void requireSectionsOf(String worker) {
		assertThat(this.history.attempts()).as("Sections of %s since %s, see %s", worker, this.events, this.journals)
			.anyMatch((attempt) -> attempt.isSectionOf(worker, this.struck));
	}

	String summary() {
		return "%d broken promises (%s) in spite of %s%s, see %s: %s".formatted(this.violations.size(), this.promise,
				this.events, pauses(), this.journals,
				String.join("; ", this.violations.stream().limit(SHOWN).toList()));
	}

	private String pauses() {
		Duration longest = this.history.longestPause();
		return longest.isZero() ? "" : ", still for up to %d ms".formatted(longest.toMillis());
	}

	long lost() {
		return this.history.attempts().stream().filter(Attempt::isLossTold).count();
	}

	@Override
	public String toString() {
		List<Attempt> attempts = this.history.attempts();
		Duration longestWait = attempts.stream()
			.map(this.history::beyondLimit)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		return "%s%s: %d sections, %d losses told, %d times unavailable, longest wait %+d ms, all well after %d ms%s"
			.formatted(this.events, pauses(), attempts.stream().filter(Attempt::isGranted).count(), lost(),
					attempts.stream().filter((attempt) -> attempt.hasEnded(Outcome.UNAVAILABLE)).count(),
					longestWait.toMillis(), this.recovery.toMillis(),
					this.violations.isEmpty() ? "" : ", BROKEN: " + this.violations.size());
	}

}
