package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockLostException;
import io.holdfast.LogText;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.NotAnswered;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a thread still holds what it relies on, before it does what cannot be
 * undone.
 */
final class HoldChecks {

	private static final Logger logger = LoggerFactory.getLogger(HoldChecks.class);

	private final LockStore store;

	private final ThreadHolds threadHolds;

	private final Losses losses;

	private final MonotonicClock clock;

	HoldChecks(LockStore store, ThreadHolds threadHolds, Losses losses, MonotonicClock clock) {
		this.store = store;
		this.threadHolds = threadHolds;
		this.losses = losses;
		this.clock = clock;
	}

	/**
	 * Ask the store about all holds of the current thread, unless one of them is known to
	 * be lost. If the store does not answer, a hold is good for the rest of its lease.
	 * @throws LockLostException when one of them is lost
	 */
	void ensureHeldByCurrentThread() {
		List<Hold> holds = this.threadHolds.ofCurrentThread();
		if (holds.isEmpty()) {
			return;
		}
		holds.forEach(this::ensureNotLost);
		check(holds, Losses.GONE);
		holds.forEach(this::ensureNotLost);
	}

	/**
	 * A hold that another thread is releasing just now is not lost, whatever becomes of
	 * that.
	 */
	private void ensureNotLost(Hold hold) {
		LockLostException loss = this.losses.checkLease(hold);
		if (loss != null) {
			throw new LockLostException(hold.terms().text(),
					"thread '%s' has acquired it and not released it since".formatted(hold.owner().threadName()), loss);
		}
	}

	/**
	 * Ask the store about holds, and book the loss of those that are gone.
	 * @param reason why they are, if they are
	 * @return whether the store has answered for all of them
	 */
	boolean check(List<Hold> holds, String reason) {
		long sentAt = this.clock.nanos();
		boolean answered = true;
		try {
			List<RenewalOutcome> outcomes = this.store
				.renew(holds.stream().map((hold) -> renewal(hold, sentAt)).toList());
			for (int i = 0; i < holds.size(); i++) {
				answered &= book(holds.get(i), sentAt, outcomes.get(i), reason);
			}
			return answered;
		}
		catch (RuntimeException ex) {
			holds.forEach((hold) -> notAnswered(hold, ex));
			return false;
		}
	}

	/**
	 * A hold that is not to be renewed is asked for no more than it has: its lease is a
	 * limit.
	 */
	private static Renewal renewal(Hold hold, long sentAt) {
		Duration wanted = hold.wantedLease();
		Duration lease = (wanted != null) ? wanted : hold.lease().remaining();
		hold.lease().asked(sentAt, lease);
		return new Renewal(hold.id(), lease);
	}

	private boolean book(Hold hold, long sentAt, RenewalOutcome outcome, String reason) {
		if (outcome instanceof NotAnswered unanswered) {
			notAnswered(hold, unanswered.failure());
			return false;
		}
		if (!(outcome instanceof Renewed renewed)) {
			this.losses.gone(hold, reason);
		}
		else {
			hold.lease().prolong(sentAt, renewed.lasts());
		}
		return true;
	}

	private static void notAnswered(Hold hold, RuntimeException failure) {
		hold.renewalFailure(failure);
		logger.debug("Could not ask whether lock '{}' is held", LogText.of(hold.terms().text()), failure);
	}

}
