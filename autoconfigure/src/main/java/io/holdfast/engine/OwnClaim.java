package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What this instance knows of a claim of its own: what has been asked for under its name.
 */
final class OwnClaim {

	private final long number;

	private volatile @Nullable Claim last;

	private volatile Duration longestLease = Duration.ZERO;

	/**
	 * How many requests have no answer yet, or never had, and may be carried out late.
	 */
	private final AtomicInteger unanswered = new AtomicInteger();

	/**
	 * Whether there may be more in the store than is known here.
	 */
	private volatile boolean doubtful;

	OwnClaim(long number) {
		this.number = number;
	}

	/**
	 * Take the place of another one, which may be in the queue.
	 */
	OwnClaim after(OwnClaim other) {
		Claim request = other.last;
		this.last = (request != null) ? request.as(this.number) : null;
		return this;
	}

	long number() {
		return this.number;
	}

	/**
	 * Return what to ask the store for.
	 * @param nested whether the owner holds other locks
	 * @param place the place to take in the queue, or {@code null} to not wait
	 */
	Claim request(Terms terms, Owner owner, boolean nested, @Nullable QueuePlace place) {
		return new Claim(terms.keys(), owner.id(), this.number, terms.mode(), terms.fair(), nested, terms.lease(),
				place);
	}

	/**
	 * Note that the store is being asked something under this claim.
	 */
	void sent(Claim request) {
		this.last = request;
		if (request.lease().compareTo(this.longestLease) > 0) {
			this.longestLease = request.lease();
		}
		this.unanswered.incrementAndGet();
	}

	/**
	 * Note that it has answered.
	 */
	void answered() {
		this.unanswered.decrementAndGet();
	}

	/**
	 * Note that it has not.
	 */
	void notAnswered(LockStoreException failure) {
		failed(failure);
		answered();
	}

	/**
	 * Note that a request, or a part of it, has failed.
	 */
	void failed(LockStoreException failure) {
		if (failure.isTransient()) {
			this.unanswered.incrementAndGet();
		}
		else {
			doubt();
		}
	}

	/**
	 * Note that an answer does not count: what it says may be in the store.
	 */
	void doubt() {
		this.doubtful = true;
	}

	Duration lease() {
		return this.longestLease;
	}

	/**
	 * Have the store forget the claim, besides what it has answered to have granted.
	 * @param place a place to give up with it, or {@code null}
	 */
	void giveUp(Cleanup cleanup, @Nullable QueuePlace place) {
		Claim request = this.last;
		boolean late = this.unanswered.get() > 0;
		if (request != null && (late || this.doubtful || place != null)) {
			cleanup.withdraw(request.at(place), late ? this.longestLease : Duration.ZERO);
		}
	}

}
