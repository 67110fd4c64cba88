package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

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
	 * Ask the store something under this claim.
	 * @throws LockStoreException when it cannot be asked
	 */
	<T> T ask(Claim request, Function<Claim, T> question) {
		this.last = request;
		if (request.lease().compareTo(this.longestLease) > 0) {
			this.longestLease = request.lease();
		}
		this.unanswered.incrementAndGet();
		try {
			T answer = question.apply(request);
			this.unanswered.decrementAndGet();
			return answer;
		}
		catch (LockStoreException ex) {
			failed(ex);
			this.unanswered.decrementAndGet();
			throw ex;
		}
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
