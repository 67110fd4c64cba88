package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.engine.LockStore.HoldId;

/**
 * A grant of the store to a claim of this instance. While it was confirmed recently, one
 * caller after the other may hold it without asking, each with a fencing token of its
 * own.
 */
final class OwnGrant {

	private final HoldId id;

	private final long lastToken;

	private final long sentAt;

	private final Duration lasts;

	private final Lease lease;

	private volatile long confirmedAt;

	private volatile long token;

	private volatile boolean doubtful;

	OwnGrant(HoldId id, long lastToken, long sentAt, Duration lasts, MonotonicClock clock) {
		this.id = id;
		this.lastToken = lastToken;
		this.sentAt = sentAt;
		this.confirmedAt = sentAt;
		this.lasts = lasts;
		this.lease = new Lease(clock, sentAt, lasts);
		this.token = id.grants().get(0).token();
	}

	HoldId id() {
		return this.id;
	}

	Duration lasts() {
		return this.lasts;
	}

	Lease lease() {
		return this.lease;
	}

	long token() {
		return this.token;
	}

	synchronized void confirm(long askedAt) {
		this.confirmedAt = MonotonicClock.later(this.confirmedAt, askedAt);
	}

	// The store may no longer know it
	void doubt() {
		this.doubtful = true;
	}

	// It takes a token that is left, a recent answer, and no renewal due. The next caller
	// must not get a longer lease than it asks for
	boolean mayPass(long now, Duration longest) {
		long lease = MonotonicClock.toNanos(this.lasts);
		boolean recent = !this.doubtful && now - this.confirmedAt < MonotonicClock.toNanos(longest);
		return recent && this.token < this.lastToken && now - this.sentAt < lease / 3
				&& this.lease.latestEnd() - now <= lease;
	}

	void useNextToken() {
		this.token++;
	}

}
