package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.jspecify.annotations.Nullable;

/**
 * Renews batches of holds in the store, one batch at a time, on a thread of its own: it
 * may have to wait for the store, and the {@link Watchdog} must not.
 *
 * <p>
 * A renewal that crosses the end of its hold is booked on that hold, where it has no
 * effect, and never on a later hold of the same owner.
 */
final class Renewer {

	private final LockStore store;

	private final Losses losses;

	private final Watchdog watchdog;

	private final MonotonicClock clock;

	private final Executor executor;

	private volatile @Nullable Instant lastRenewal;

	private final LongAdder renewedHolds = new LongAdder();

	private final LongAdder failedHolds = new LongAdder();

	private final Holds holds;

	private final RenewalTrouble trouble;

	Renewer(LockStore store, Losses losses, Holds holds, Watchdog watchdog, RenewalTrouble trouble,
			EngineRuntime runtime) {
		this.store = store;
		this.losses = losses;
		this.holds = holds;
		this.watchdog = watchdog;
		this.clock = runtime;
		this.executor = runtime.newExecutor("holdfast-renewal", 1);
		this.trouble = trouble;
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
				Map<Hold, Throwable> failures = new LinkedHashMap<>();
				holds.forEach((hold) -> failures.put(hold, ex));
				try {
					tellTrouble(failures);
				}
				finally {
					failed(failures);
				}
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
		Map<Hold, RenewalOutcome> answers = new LinkedHashMap<>();
		Map<Hold, Throwable> failures = new LinkedHashMap<>();
		for (int i = 0; i < holds.size(); i++) {
			if (outcomes.get(i) instanceof NotAnswered unanswered) {
				failures.put(holds.get(i), unanswered.failure());
			}
			else {
				answers.put(holds.get(i), outcomes.get(i));
			}
		}
		if (failures.isEmpty()) {
			this.lastRenewal = Instant.now();
		}
		tellTrouble(failures);
		this.trouble.answered(answers.keySet());
		answers.forEach((hold, answer) -> renewed(hold, sentAt, answer));
		failed(failures);
	}

	private void tellTrouble(Map<Hold, Throwable> failures) {
		if (!failures.isEmpty()) {
			this.trouble.failed(List.copyOf(failures.keySet()), this.holds.count(),
					failures.values().iterator().next());
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

	private void failed(Map<Hold, Throwable> failures) {
		this.failedHolds.add(failures.size());
		failures.forEach((hold, failure) -> {
			hold.renewalFailure(failure);
			if (this.losses.checkLease(hold) == null) {
				this.watchdog.watchAfterFailure(hold);
			}
		});
	}

}
