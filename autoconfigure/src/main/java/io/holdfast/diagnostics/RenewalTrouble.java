package io.holdfast.diagnostics;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.MonotonicClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when renewals begin to fail, and when none of the failed ones does any more.
 * Others may succeed meanwhile, on another server of a Cluster.
 *
 * <p>
 * A hold counts from its failure until it is renewed or has ended. It may end while its
 * failure is noted: the ending thread changes the state before it asks here, and the
 * failure is noted before the state is read. So one of the two finds out, and no ended
 * hold is kept.
 */
final class RenewalTrouble {

	private static final Logger logger = LoggerFactory.getLogger(RenewalTrouble.class);

	private static final int MOST_NAMED = 5;

	private final MonotonicClock clock;

	private final Set<HeldLock> failing = new LinkedHashSet<>();

	private volatile boolean told;

	private long since;

	RenewalTrouble(MonotonicClock clock) {
		this.clock = clock;
	}

	synchronized void failed(List<? extends HeldLock> affected, int held, Throwable failure) {
		List<? extends HeldLock> open = affected.stream().filter(HeldLock::isOpen).toList();
		if (open.isEmpty()) {
			return;
		}
		this.failing.addAll(open);
		if (!this.told) {
			this.told = true;
			this.since = this.clock.nanos();
			warn(open, held, failure);
		}
		drop(open.stream().filter((hold) -> !hold.isOpen()).toList(), this::tellEnd);
	}

	private static void warn(List<? extends HeldLock> affected, int held, Throwable failure) {
		String keys = named(affected, (lock) -> LogText.keys(lock.keys()));
		LongSummaryStatistics left = affected.stream().mapToLong(RenewalTrouble::remaining).summaryStatistics();
		logger.atWarn()
			.addKeyValue("key", keys)
			.addKeyValue("owner", named(affected, LockSnapshot::owner))
			.addKeyValue("atRisk", affected.size())
			.addKeyValue("remainingMs", left.getMin())
			.log("Renewal of locks is failing, trying again: {} of {} held at risk ({}), their leases last {} to {} ms more: {}",
					affected.size(), held, LogText.of(keys), left.getMin(), left.getMax(),
					LogText.of(failure.getMessage()));
		logger.debug("Why renewal is failing", failure);
	}

	// Holds have been renewed, or are known to be gone
	void answered(Collection<? extends HeldLock> renewed) {
		if (this.told) {
			drop(renewed, this::tellRecovery);
		}
	}

	void ended(HeldLock hold) {
		if (this.told) {
			drop(List.of(hold), hold.isGone() ? this::tellRecovery : this::tellEnd);
		}
	}

	private synchronized void drop(Collection<? extends HeldLock> holds, Runnable telling) {
		holds.forEach(this.failing::remove);
		if (this.told && this.failing.isEmpty()) {
			this.told = false;
			telling.run();
		}
	}

	private void tellRecovery() {
		long millis = millisSince();
		logger.atInfo().addKeyValue("failedMs", millis).log("Renewal of locks has recovered after {} ms", millis);
	}

	private void tellEnd() {
		long millis = millisSince();
		logger.atInfo()
			.addKeyValue("failedMs", millis)
			.log("Renewal of locks has failed for {} ms, until all affected locks were lost or released; Redis may still be away",
					millis);
	}

	private long millisSince() {
		return (this.clock.nanos() - this.since) / 1_000_000;
	}

	private static long remaining(HeldLock hold) {
		return hold.snapshot().remainingLease().toMillis();
	}

	private static String named(List<? extends HeldLock> holds, Function<LockSnapshot, String> name) {
		String names = holds.stream()
			.limit(MOST_NAMED)
			.map(HeldLock::snapshot)
			.map(name)
			.collect(Collectors.joining(", "));
		return (holds.size() > MOST_NAMED) ? names + ", ..." : names;
	}

}
