package io.holdfast.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when renewals begin to fail, and when none of those that have failed does any
 * more: some may go through all the while, to another server of a Cluster. For one
 * thread.
 */
final class RenewalTrouble {

	private static final Logger logger = LoggerFactory.getLogger(RenewalTrouble.class);

	/**
	 * How many of the holds at risk are named.
	 */
	private static final int MOST_NAMED = 5;

	private final Holds holds;

	private final MonotonicClock clock;

	private final Set<Hold> failing = new LinkedHashSet<>();

	private boolean told;

	private long since;

	RenewalTrouble(Holds holds, MonotonicClock clock) {
		this.holds = holds;
		this.clock = clock;
	}

	/**
	 * Holds could not be renewed.
	 */
	void failed(List<Hold> affected, Throwable failure) {
		this.failing.addAll(affected);
		if (!this.told) {
			this.told = true;
			this.since = this.clock.nanos();
			warn(affected, failure);
		}
	}

	private void warn(List<Hold> affected, Throwable failure) {
		String keys = named(affected, (hold) -> hold.terms().text());
		long shortest = affected.stream().mapToLong(RenewalTrouble::remaining).min().orElse(0);
		long longest = affected.stream().mapToLong(RenewalTrouble::remaining).max().orElse(0);
		logger.atWarn()
			.addKeyValue("key", keys)
			.addKeyValue("owner", named(affected, (hold) -> hold.id().owner()))
			.addKeyValue("atRisk", affected.size())
			.addKeyValue("remainingMs", shortest)
			.log("Renewal of locks is failing, trying again: {} of {} held at risk ({}), their leases last {} to {} ms more: {}",
					affected.size(), this.holds.count(), keys, shortest, longest, failure.getMessage());
		logger.debug("Why renewal is failing", failure);
	}

	/**
	 * Holds have been renewed, or are known to be gone.
	 */
	void answered(List<Hold> renewed) {
		if (!this.told) {
			return;
		}
		renewed.forEach(this.failing::remove);
		if (!isFailing()) {
			this.told = false;
			long millis = (this.clock.nanos() - this.since) / 1_000_000;
			logger.atInfo().addKeyValue("failedMs", millis).log("Renewal of locks has recovered after {} ms", millis);
		}
	}

	/**
	 * Return whether one is left that is still held, and forget those before it.
	 */
	private boolean isFailing() {
		for (Iterator<Hold> left = this.failing.iterator(); left.hasNext();) {
			if (left.next().isHeld()) {
				return true;
			}
			left.remove();
		}
		return false;
	}

	private static long remaining(Hold hold) {
		return hold.lease().remaining().toMillis();
	}

	private static String named(List<Hold> holds, Function<Hold, String> name) {
		String names = holds.stream().limit(MOST_NAMED).map(name).collect(Collectors.joining(", "));
		return (holds.size() > MOST_NAMED) ? names + ", ..." : names;
	}

}
