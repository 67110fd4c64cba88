package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;

import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews batches of holds in the store, one batch at a time, on a thread of its own: it
 * may have to wait for the store, and the {@link Watchdog} must not.
 *
 * <p>
 * A renewal that crosses the end of its hold is booked on that hold, where it has no
 * effect, and never on a later hold of the same owner.
 */
final class Renewer {

	private static final Logger logger = LoggerFactory.getLogger(Renewer.class);

	private final LockStore store;

	private final Losses losses;

	private final Watchdog watchdog;

	private final MonotonicClock clock;

	private final ThreadPoolExecutor executor = DaemonThreads.single("holdfast-renewal");

	private volatile @Nullable Instant lastRenewal;

	private final LongAdder renewedHolds = new LongAdder();

	private final LongAdder failedHolds = new LongAdder();

	private boolean failing;

	Renewer(LockStore store, Losses losses, Watchdog watchdog, MonotonicClock clock) {
		this.store = store;
		this.losses = losses;
		this.watchdog = watchdog;
		this.clock = clock;
	}

	/**
	 * Renew holds soon.
	 */
	void renew(List<Hold> holds) {
		this.executor.execute(() -> {
			try {
				renewNow(holds.stream().filter(Hold::isHeld).toList());
			}
			catch (RuntimeException | Error ex) {
				failed(holds, ex);
			}
		});
	}

	/**
	 * Return when a renewal last went through, or {@code null} when none has yet.
	 */
	@Nullable Instant lastRenewal() {
		return this.lastRenewal;
	}

	RenewalCounts counts() {
		return new RenewalCounts(this.renewedHolds.sum(), this.failedHolds.sum());
	}

	private void renewNow(List<Hold> holds) {
		if (holds.isEmpty()) {
			return;
		}
		long sentAt = this.clock.nanos();
		List<RenewalOutcome> outcomes = this.store.renew(holds.stream().map((hold) -> renewal(hold, sentAt)).toList());
		boolean answered = true;
		for (int i = 0; i < holds.size(); i++) {
			if (outcomes.get(i) instanceof NotAnswered unanswered) {
				failed(List.of(holds.get(i)), unanswered.failure());
				answered = false;
			}
			else {
				renewed(holds.get(i), sentAt, outcomes.get(i));
			}
		}
		if (answered) {
			succeeded();
		}
	}

	private static Renewal renewal(Hold hold, long sentAt) {
		Duration wanted = hold.wantedLease();
		Duration lease = (wanted != null) ? wanted : Duration.ZERO;
		hold.lease().asked(sentAt, lease);
		return new Renewal(hold.id(), lease);
	}

	private void renewed(Hold hold, long sentAt, RenewalOutcome outcome) {
		if (!(outcome instanceof Renewed renewed)) {
			this.losses.gone(hold);
			return;
		}
		this.renewedHolds.increment();
		hold.renewalFailure(null);
		hold.lease().prolong(sentAt, renewed.lasts());
		if (this.losses.checkLease(hold) == null) {
			this.watchdog.watch(hold);
		}
	}

	private void succeeded() {
		this.lastRenewal = Instant.now();
		if (this.failing) {
			this.failing = false;
			logger.info("Renewal of locks has recovered");
		}
	}

	private void failed(List<Hold> holds, Throwable failure) {
		if (!this.failing) {
			this.failing = true;
			logger.warn("Renewal of locks is failing, trying again while their leases last: {}", failure.getMessage());
			logger.debug("Why renewal is failing", failure);
		}
		this.failedHolds.add(holds.size());
		for (Hold hold : holds) {
			hold.renewalFailure(failure);
			if (this.losses.checkLease(hold) == null) {
				this.watchdog.watchAfterFailure(hold);
			}
		}
	}

}
