package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * A claim of this instance: what was requested under its name.
 */
final class OwnClaim {

	private final long number;

	private volatile @Nullable Claim last;

	// Where its requests wait
	private volatile @Nullable QueuePlace place;

	private volatile Duration longestLease = Duration.ZERO;

	// How many requests may be carried out late
	private final AtomicInteger unanswered = new AtomicInteger();

	// Whether the store may have more than is known here
	private volatile boolean doubtful;

	// The greatest token that a hold has, or that was sent to the store for a transfer.
	// Guarded by the line
	private long usedToken;

	OwnClaim(long number) {
		this.number = number;
	}

	// The other one may be in the queue
	OwnClaim after(OwnClaim other) {
		Claim request = other.last;
		this.last = (request != null) ? request.as(this.number) : null;
		this.place = other.place;
		return this;
	}

	long number() {
		return this.number;
	}

	Claim request(Terms terms, Owner owner, @Nullable QueuePlace place) {
		return new Claim(terms.keys(), owner.id(), this.number, terms.mode(), terms.permits(), terms.fair(),
				terms.lease(), place);
	}

	void sent(Claim request) {
		this.last = request;
		this.place = (request.place() != null) ? request.place() : this.place;
		if (request.lease().compareTo(this.longestLease) > 0) {
			this.longestLease = request.lease();
		}
		this.unanswered.incrementAndGet();
	}

	void answered() {
		this.unanswered.decrementAndGet();
	}

	// After a transient failure, the request may still be carried out
	void notAnswered(LockStoreException failure) {
		if (!failure.isTransient()) {
			doubt();
			answered();
		}
	}

	// An answer does not count: its grant may be in the store
	void doubt() {
		this.doubtful = true;
	}

	void useToken(long token) {
		this.usedToken = Math.max(this.usedToken, token);
	}

	// Each hold has a token of its own
	boolean mayUse(long token) {
		return token > this.usedToken;
	}

	// Withdraws all but what the store confirmed to have granted. A late request would
	// take its place again, which may be kept for the next claim
	void giveUp(Cleanup cleanup, boolean queued, @Nullable QueuePlace kept) {
		Claim request = this.last;
		boolean late = this.unanswered.get() > 0;
		QueuePlace left = ((queued || late) && this.place != kept) ? this.place : null;
		if (request != null && (late || this.doubtful || left != null)) {
			cleanup.withdraw(request.at(left), this.longestLease, late,
					(late || this.doubtful) ? null : request.owner());
		}
	}

}
