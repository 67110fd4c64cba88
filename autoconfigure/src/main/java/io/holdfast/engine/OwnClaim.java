package io.holdfast.engine;

import java.time.Duration;
import java.util.function.Function;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * What this instance knows of a claim of its own: what has been asked for under its name.
 */
final class OwnClaim {

	private final long number;

	private volatile @Nullable Claim last;

	private volatile Duration longestLease = Duration.ZERO;

	/**
	 * Whether a request has had no answer, and may be carried out late.
	 */
	private volatile boolean unanswered;

	/**
	 * Whether the store has answered a request with an error, maybe half-way.
	 */
	private volatile boolean failed;

	OwnClaim(long number) {
		this.number = number;
	}

	long number() {
		return this.number;
	}

	/**
	 * Return what to ask the store for on a caller's behalf.
	 * @param place the place to take in the queue, or {@code null} to not wait
	 */
	Claim request(Acquisition caller, @Nullable QueuePlace place) {
		Terms terms = caller.terms();
		return new Claim(terms.keys(), caller.owner().id(), this.number, terms.mode(), terms.fair(), caller.nested(),
				terms.lease(), place);
	}

	/**
	 * Ask the store something under this claim.
	 * @throws LockStoreException when it cannot be asked
	 */
	<T> T ask(Claim request, Function<Claim, T> question) {
		boolean unansweredBefore = this.unanswered;
		this.last = request;
		if (request.lease().compareTo(this.longestLease) > 0) {
			this.longestLease = request.lease();
		}
		this.unanswered = true;
		try {
			T answer = question.apply(request);
			this.unanswered = unansweredBefore;
			return answer;
		}
		catch (LockStoreException ex) {
			if (!ex.isTransient()) {
				this.unanswered = unansweredBefore;
				this.failed = true;
			}
			throw ex;
		}
	}

	/**
	 * Return the longest lease that was asked for.
	 */
	Duration lease() {
		return this.longestLease;
	}

	/**
	 * Have the store forget the claim, besides what it has answered to have granted.
	 * @param place a place to give up with it, or {@code null}
	 */
	void giveUp(Cleanup cleanup, @Nullable QueuePlace place) {
		Claim request = this.last;
		if (request != null && (this.unanswered || this.failed || place != null)) {
			cleanup.withdraw(request.at(place), this.unanswered ? this.longestLease : Duration.ZERO);
		}
	}

}
