package io.holdfast.engine;

import java.time.Duration;
import java.util.Objects;

import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * What an acquisition asks of the store, each time as a claim of its own, and what may be
 * left there at its end.
 */
final class StoreAttempts {

	private static final Logger logger = LoggerFactory.getLogger(StoreAttempts.class);

	private final Engine engine;

	private final Claimant claimant;

	private final Patience patience;

	private long queuedAt;

	private boolean queued;

	private @Nullable Claim asked;

	private @Nullable Claim unanswered;

	StoreAttempts(Engine engine, Claimant claimant, Patience patience) {
		this.engine = engine;
		this.claimant = claimant;
		this.patience = patience;
	}

	/**
	 * Note that the caller has its place in the queue.
	 */
	void queued(long at) {
		this.queued = true;
		this.queuedAt = at;
	}

	boolean isQueued() {
		return this.queued;
	}

	/**
	 * Ask the store once, after it has been told what the owner wants kept. As long as it
	 * has not, it would grant that to the owner.
	 * @return its answer, or {@code null} when it could not be asked this time
	 * @throws LockUnavailableException when it is not to be asked again
	 */
	@Nullable Outcome ask(Sight sight) {
		Claim unansweredBefore = this.unanswered;
		try {
			this.engine.leftovers().keep(this.claimant.keys(), this.claimant.owner());
			Claim claim = this.claimant.claim(this.engine.nextClaim());
			this.asked = claim;
			this.unanswered = claim;
			Outcome outcome = complete(claim, this.engine.store().acquire(claim));
			this.unanswered = unansweredBefore;
			this.queued = (outcome instanceof Denied && this.claimant.isWaiting());
			this.queuedAt = this.engine.runtime().nanos();
			sight.answered();
			return outcome;
		}
		catch (LockStoreException ex) {
			if (!sight.failed(ex, this.patience, this.engine.settings().waitFor())) {
				throw unavailable(this.claimant.terms(), ex);
			}
			logger.debug("Could not ask for lock '{}', trying again", LogText.of(this.claimant.terms().text()), ex);
			return null;
		}
	}

	/**
	 * Give back what is not enough.
	 * @return what stands in the way of the rest
	 * @throws LockStoreException when that has failed
	 */
	private Outcome complete(Claim claim, Outcome outcome) {
		if (!(outcome instanceof Incomplete incomplete)) {
			return outcome;
		}
		giveBack(claim.granted(incomplete.granted()));
		if (incomplete.failure() != null) {
			throw incomplete.failure();
		}
		return Objects.requireNonNull(incomplete.denied());
	}

	/**
	 * Return the hold that a grant of the last attempt makes.
	 */
	HoldId granted(Granted granted) {
		return Objects.requireNonNull(this.asked).granted(granted.grants());
	}

	/**
	 * Give a grant back.
	 */
	void giveBack(HoldId granted) {
		this.engine.leftovers().giveBack(granted, this.claimant.terms().lease());
	}

	/**
	 * Tell a caller that gives up when that is because the store could not be asked.
	 */
	void throwIfUnavailable(Sight sight) {
		LockStoreException failure = sight.failure();
		if (failure != null) {
			throw unavailable(this.claimant.terms(), failure);
		}
	}

	static LockUnavailableException unavailable(Terms terms, LockStoreException failure) {
		String reason = String.valueOf(failure.getMessage());
		String cause = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
		return new LockUnavailableException("Lock '%s' could not be acquired: %s".formatted(terms.text(),
				(cause == null || reason.contains(cause)) ? reason : reason + " (" + cause + ")"), failure);
	}

	/**
	 * Leave nothing behind: no place in the queue, also none that there was no answer
	 * about, and no grant whose reply was lost.
	 */
	void leaveNothingBehind() {
		QueuePlace place = this.claimant.place();
		if ((this.queued || this.unanswered != null) && place != null) {
			this.engine.housekeeper().run(this.claimant.keys(), () -> leaveQueue(place));
		}
		withdrawUnanswered();
	}

	/**
	 * Withdraw what was granted without an answer, or may be yet.
	 */
	void withdrawUnanswered() {
		if (this.unanswered != null) {
			this.engine.leftovers().withdraw(this.unanswered);
		}
	}

	/**
	 * Give up the place in the queue, unless it is known to be gone by now.
	 */
	private void leaveQueue(QueuePlace place) {
		if (this.unanswered == null && this.engine.runtime().nanos() - this.queuedAt > place.kept().toNanos()) {
			return;
		}
		this.engine.leftovers().leaveQueue(this.claimant.keys(), place.id());
	}

}
