package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.NotAnswered;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import org.jspecify.annotations.Nullable;

/**
 * Renews holds in the store, many with one call, on a thread of its own: it may have to
 * wait for the store, and the {@link Watchdog} must not.
 *
 * <p>
 * A renewal that crosses the end of its hold is booked on that hold, where it has no
 * effect, and never on a later hold of the same owner.
 */
final class Renewer {

	/**
	 * How many keys are renewed at once, unless a single hold has more.
	 */
	private static final int BATCH_SIZE = 100;

	private final LockStore store;

	private final Losses losses;

	private final Watchdog watchdog;

	private final MonotonicClock clock;

	private final Background background;

	private final Executor executor;

	/**
	 * What is to be renewed, or is being renewed at the moment.
	 */
	private final Set<Hold> due = ConcurrentHashMap.newKeySet();

	private final Background.Task renewal = new Background.Task(this::renewSoon);

	private volatile @Nullable Instant lastRenewal;

	private final LongAdder renewedHolds = new LongAdder();

	private final LongAdder failedHolds = new LongAdder();

	private final Holds holds;

	private final RenewalTrouble trouble;

	Renewer(LockStore store, Losses losses, Holds holds, Watchdog watchdog, RenewalTrouble trouble,
			Background background) {
		this.store = store;
		this.losses = losses;
		this.holds = holds;
		this.watchdog = watchdog;
		this.clock = background.runtime();
		this.background = background;
		this.executor = background.newExecutor("holdfast-renewal", 1);
		this.trouble = trouble;
	}

	/**
	 * Renew a hold, together with all that are due now.
	 */
	void renew(Hold hold) {
		this.due.add(hold);
		try {
			this.background.schedule(this.renewal, 0);
		}
		catch (Throwable ex) {
			this.due.remove(hold);
			throw ex;
		}
	}

	private void renewSoon() {
		this.executor.execute(this::renewDue);
	}

	private void renewDue() {
		List<Hold> batch = new ArrayList<>();
		int keys = 0;
		for (Hold hold : this.due) {
			keys += hold.id().grants().size();
			if (keys > BATCH_SIZE && !batch.isEmpty()) {
				renew(batch);
				batch.clear();
				keys = hold.id().grants().size();
			}
			batch.add(hold);
		}
		renew(batch);
	}

	private void renew(List<Hold> batch) {
		Map<Hold, Throwable> failures = new LinkedHashMap<>();
		try {
			renewNow(batch.stream().filter(Hold::isHeld).toList(), failures);
		}
		catch (Throwable ex) {
			batch.forEach((hold) -> failures.put(hold, ex));
		}
		finally {
			batch.forEach(this.due::remove);
		}
		tell(batch, failures);
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

	private void renewNow(List<Hold> holds, Map<Hold, Throwable> failures) {
		if (holds.isEmpty()) {
			return;
		}
		long sentAt = this.clock.nanos();
		List<RenewalOutcome> outcomes = this.store.renew(holds.stream().map((hold) -> renewal(hold, sentAt)).toList());
		for (int i = 0; i < holds.size(); i++) {
			Throwable failure = book(holds.get(i), sentAt, outcomes.get(i));
			if (failure != null) {
				failures.put(holds.get(i), failure);
			}
		}
		if (failures.isEmpty()) {
			this.lastRenewal = Instant.now();
		}
	}

	private static Renewal renewal(Hold hold, long sentAt) {
		Duration wanted = hold.wantedLease();
		Duration lease = (wanted != null) ? wanted : Duration.ZERO;
		hold.lease().asked(sentAt, lease);
		return new Renewal(hold.id(), lease);
	}

	/**
	 * Book what the store has answered. A failure does not keep this from the others.
	 */
	private @Nullable Throwable book(Hold hold, long sentAt, RenewalOutcome outcome) {
		try {
			if (outcome instanceof Renewed renewed) {
				renewed(hold, sentAt, renewed.lasts());
			}
			else if (outcome instanceof NotAnswered unanswered) {
				return unanswered.failure();
			}
			else {
				this.losses.gone(hold);
			}
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private void renewed(Hold hold, long sentAt, Duration lasts) {
		this.renewedHolds.increment();
		hold.renewalFailure(null);
		hold.lease().prolong(sentAt, lasts);
		if (this.losses.checkLease(hold) == null && hold.isOpen()) {
			this.watchdog.watchAgain(hold);
		}
	}

	private void tell(List<Hold> batch, Map<Hold, Throwable> failures) {
		try {
			if (!failures.isEmpty()) {
				this.trouble.failed(List.copyOf(failures.keySet()), this.holds.count(),
						failures.values().iterator().next());
			}
			this.trouble.answered(batch.stream().filter((hold) -> !failures.containsKey(hold)).toList());
		}
		finally {
			this.failedHolds.add(failures.size());
			failures.forEach(this::failed);
		}
	}

	private void failed(Hold hold, Throwable failure) {
		hold.renewalFailure(failure);
		if (this.losses.checkLease(hold) == null) {
			this.watchdog.watchAfterFailure(hold);
		}
	}

}
