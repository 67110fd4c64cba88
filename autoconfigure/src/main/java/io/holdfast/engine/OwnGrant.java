package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.concurrent.Lease;
import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.StoreView;

/**
 * What the store has granted to a claim of this instance. As long as the store has
 * confirmed it only just now, one caller may hold it after the other without asking, each
 * with a fencing token of its own.
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

	/**
	 * Whether others see that it is not in use.
	 */
	private volatile boolean retained;

	OwnGrant(HoldId id, long sentAt, Duration lasts, MonotonicClock clock) {
		this(id, id.grants().get(0).token(), sentAt, lasts, clock);
	}

	/**
	 * Create a grant.
	 * @param id what the store calls it
	 * @param lastToken the greatest token that its holds may have
	 * @param sentAt when the store was asked
	 * @param lasts the lease that it was asked for
	 */
	OwnGrant(HoldId id, long lastToken, long sentAt, Duration lasts, MonotonicClock clock) {
		this.id = id;
		this.lastToken = lastToken;
		this.sentAt = sentAt;
		this.confirmedAt = sentAt;
		this.lasts = lasts;
		this.lease = new Lease(clock, sentAt, lasts);
		this.token = id.grants().get(0).token();
		this.retained = StoreView.isRetained(id.owner());
	}

	HoldId id() {
		return this.id;
	}

	long sentAt() {
		return this.sentAt;
	}

	Duration lasts() {
		return this.lasts;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Return the token of the latest hold, or of the first to be.
	 */
	long token() {
		return this.token;
	}

	/**
	 * Note that the store has confirmed it.
	 * @param askedAt when it was asked
	 */
	void confirm(long askedAt) {
		this.confirmedAt = MonotonicClock.later(this.confirmedAt, askedAt);
	}

	/**
	 * Return whether the store has not confirmed it for longer than that.
	 */
	boolean isOlderThan(Duration age, long now) {
		return now - this.confirmedAt >= MonotonicClock.toNanos(age);
	}

	/**
	 * Return whether nobody holds it, as the store knows it.
	 */
	boolean isRetained() {
		return this.retained;
	}

	/**
	 * Note that the store is told who holds it.
	 */
	void name() {
		this.retained = false;
	}

	/**
	 * Note that the store may not know it any more.
	 */
	void doubt() {
		this.doubtful = true;
	}

	/**
	 * Return whether another hold may follow: there is a token for it, the store has
	 * answered only just now, and no renewal is due. Who was granted more time than the
	 * next one asks for does not leave that to it.
	 */
	boolean mayPass(long now, Duration longest) {
		long lease = MonotonicClock.toNanos(this.lasts);
		return mayBegin(this.token + 1) && !isOlderThan(longest, now) && now - this.sentAt < lease / 3
				&& this.lease.latestEnd() - now <= lease;
	}

	/**
	 * Return whether a hold may have a token.
	 */
	boolean mayBegin(long token) {
		return !this.doubtful && token <= this.lastToken;
	}

	/**
	 * Go on to the next token, for another hold.
	 */
	void useNextToken() {
		this.token++;
	}

}
