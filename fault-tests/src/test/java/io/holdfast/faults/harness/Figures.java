package io.holdfast.faults.harness;

import java.time.Duration;

/**
 * What all drills of a bench have found.
 */
final class Figures {

	private long drills;

	private long paused;

	private long faults;

	private long sections;

	private long writes;

	private long losses;

	private long violations;

	private Duration longestDelay = Duration.ZERO;

	private Duration longestRecovery = Duration.ZERO;

	void add(Findings findings) {
		this.drills++;
		this.paused += findings.hasPauses() ? 1 : 0;
		this.faults += findings.events().size();
		this.sections += findings.granted();
		this.writes += findings.history().ledger().size();
		this.losses += findings.lost();
		this.violations += findings.violations().size();
		this.longestDelay = max(this.longestDelay, findings.longestDelay());
		this.longestRecovery = max(this.longestRecovery, findings.recovery());
	}

	private static Duration max(Duration one, Duration other) {
		return (one.compareTo(other) >= 0) ? one : other;
	}

	@Override
	public String toString() {
		return ("%d drills, in %d of them a worker stood still, %d faults, %d sections, %d writes, %d losses told, "
				+ "longest wait %d ms beyond its limit, longest recovery %d ms, %d broken promises")
			.formatted(this.drills, this.paused, this.faults, this.sections, this.writes, this.losses,
					this.longestDelay.toMillis(), this.longestRecovery.toMillis(), this.violations);
	}

}
