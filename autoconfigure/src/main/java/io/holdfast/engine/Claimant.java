package io.holdfast.engine;

import java.time.Duration;
import java.util.Objects;

import io.holdfast.engine.LockStore.Answer;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * What the store knows of a line: its claim and its place in the queue. Sends the line's
 * requests, books the answers, and knows when to ask again.
 *
 * <p>
 * Guarded by the lock of the line. Only making and sending a question need no lock, since
 * one caller asks at a time.
 */
final class Claimant {

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	private final Lines lines;

	private final LockStore store;

	private final Cleanup cleanup;

	private final MonotonicClock clock;

	private final Duration poll;

	private final Outage outage;

	private volatile OwnClaim claim;

	private volatile @Nullable QueuePlace place;

	// Whether the store may have the place
	private boolean queued;

	private volatile @Nullable Denied denied;

	private boolean woken;

	private long nextAttempt;

	Claimant(Lines lines, LockStore store, Cleanup cleanup, MonotonicClock clock, Duration poll, Outage outage) {
		this.lines = lines;
		this.store = store;
		this.cleanup = cleanup;
		this.clock = clock;
		this.poll = poll;
		this.outage = outage;
		this.claim = lines.newClaim();
	}

	OwnClaim claim() {
		return this.claim;
	}

	@Nullable Denied denied() {
		return this.denied;
	}

	boolean isQueued() {
		return this.queued;
	}

	// The first caller gives it its name
	QueuePlace place(Acquisition caller) {
		QueuePlace present = this.place;
		if (present == null) {
			Terms terms = caller.terms();
			PlaceName name = new PlaceName(caller.owner().id(), this.claim.number(), terms.mode(), terms.permits());
			present = new QueuePlace(name.toString(), this.poll.multipliedBy(2));
			this.place = present;
		}
		return present;
	}

	void wakeUp() {
		this.woken = true;
	}

	boolean shouldAsk() {
		return this.woken || untilAttempt() <= 0;
	}

	long untilAttempt() {
		return this.nextAttempt - now();
	}

	// Whether a caller must give up because the store does not answer. One that may ask
	// tries first: the store may be back
	boolean isUnavailable(Deadline deadline, boolean mayAsk) {
		return this.outage.endsWaitOf(deadline) && !(mayAsk && untilAttempt() <= 0);
	}

	void ensureAnswered(Terms terms) {
		this.outage.throwIfPresent(terms.keysText());
	}

	// The store may give the grant another token from now on, so no caller may use the
	// present one
	void begin(@Nullable OwnGrant transferred) {
		this.woken = false;
		this.nextAttempt = now();
		if (transferred != null) {
			this.claim.useToken(transferred.token());
		}
	}

	// Earlier requests may have left something in the caller's way
	void settle(Acquisition caller) {
		this.cleanup.settle(caller.terms().keys(), caller.owner().id(), caller.deadline());
		caller.deadline().ensureOpen();
	}

	// To acquire the lock, or to transfer a grant to the caller. Counts as sent
	Question question(Acquisition caller, @Nullable OwnGrant transferred, boolean yield) {
		boolean takesPlace = transferred != null || !caller.isOneAttempt();
		Claim request = this.claim.request(caller.terms(), caller.owner(), takesPlace ? place(caller) : null);
		this.queued |= takesPlace;
		this.claim.sent(request);
		return new Question(request, this.claim, transferred, yield, now());
	}

	// Without an answer, the next caller asks under the same claim
	Answer send(Question question) {
		try {
			OwnGrant grant = question.transferred();
			return (grant != null) ? this.store.transfer(grant.id(), question.request(), question.yield())
					: this.store.acquire(question.request());
		}
		catch (LockStoreException ex) {
			question.claim().notAnswered(ex);
			throw ex;
		}
	}

	// Called once the answer is booked: until then, the next request would be granted the
	// same part
	void giveBackPart(Question question, Answer answer) {
		if (answer instanceof Incomplete part && question.claim() != this.claim) {
			this.cleanup.giveBack(part.granted(), question.request().lease());
		}
	}

	void notAnswered(LockStoreException failure) {
		this.nextAttempt = now() + this.outage.failed(failure).toNanos();
	}

	// Returns the grant. Without one, the line asks under another claim if it may have
	// had something. The request for a grant counts as unanswered until that is booked,
	// in case of an error. Throws if the answer is as good as none
	@Nullable OwnGrant answered(Question question, Answer answer) {
		boolean waits = answer instanceof Denied || answer instanceof Incomplete || answer instanceof Yielded;
		this.queued = (question.request().place() != null) ? waits : this.queued;
		this.denied = null;
		if (answer instanceof Incomplete incomplete) {
			incomplete(incomplete, question);
		}
		this.outage.answered();
		if (answer instanceof Granted granted) {
			return granted(granted, question);
		}
		if (answer instanceof Denied denial) {
			question.claim().answered();
			denied(denial);
		}
		else if (answer instanceof Transfer) {
			question.claim().answered();
			notTransferred(answer, question.sentAt());
		}
		return null;
	}

	private @Nullable OwnGrant granted(Granted granted, Question question) {
		Duration lease = question.request().lease();
		OwnGrant grant = new OwnGrant(granted.hold(), granted.lastToken(), question.sentAt(), lease, this.clock);
		if (question.transferred() == null && grant.lease().isOver()) {
			renewClaim();
			throw new Outage.LateGrantException(lease);
		}
		if (question.transferred() != null && !this.claim.mayUse(grant.token())) {
			// After a fail-over to a server whose clock is behind
			renewClaim();
			wakeUp();
			return null;
		}
		return grant;
	}

	private void incomplete(Incomplete incomplete, Question question) {
		LockStoreException failure = incomplete.failure();
		OwnClaim asked = changeClaim();
		if (failure != null && incomplete.granted().grants().size() < question.request().keys().size()) {
			asked.notAnswered(failure);
		}
		else {
			asked.answered();
		}
		giveUpFormer(asked);
		if (failure != null) {
			throw failure;
		}
		denied(Objects.requireNonNull(incomplete.denied()));
	}

	private void denied(Denied denial) {
		this.denied = denial;
		this.nextAttempt = now() + untilPoll(denial).toNanos();
	}

	private void notTransferred(Answer answer, long sentAt) {
		if (answer instanceof Yielded) {
			this.nextAttempt = sentAt + this.poll.toNanos();
		}
		else if (answer instanceof NotHeld) {
			this.claim.doubt();
		}
		renewClaim();
	}

	// Soon enough to keep the place. While messages arrive, waiters behind the first ask
	// only in case those in front are gone. Of several servers to choose from, only one
	// sends messages
	private Duration untilPoll(Denied denied) {
		Duration interval = this.store.pollInterval();
		Duration poll = (interval != null) ? interval.multipliedBy(denied.position()) : this.poll;
		Duration remaining = denied.remaining();
		boolean isHeard = interval == null && this.store.subscription() == Subscription.ACTIVE
				&& this.store.chooser() == null;
		Duration behind = isHeard ? poll.multipliedBy(denied.position() - 1) : Duration.ZERO;
		boolean isFreeSooner = !remaining.isNegative() && remaining.compareTo(poll) < 0;
		return behind.plus(isFreeSooner ? remaining.plus(PAST_EXPIRY) : poll);
	}

	// A grant that came in time, and was entered too late
	void giveBackLate() {
		this.claim.doubt();
		renewClaim();
		this.nextAttempt = now() + Outage.RETRY.toNanos();
	}

	private void renewClaim() {
		giveUpFormer(changeClaim());
	}

	// Unless it is queued, the place ends too: a late request may take it again
	void endClaim() {
		changeClaim();
		this.place = this.queued ? this.place : null;
	}

	private OwnClaim changeClaim() {
		OwnClaim before = this.claim;
		this.claim = this.lines.newClaim().after(before);
		return before;
	}

	void giveUpFormer(@Nullable OwnClaim former) {
		if (former != null && former != this.claim) {
			former.giveUp(this.cleanup, false, this.place);
		}
	}

	void giveUp(boolean granted) {
		if (granted) {
			this.claim.doubt();
		}
		this.claim.giveUp(this.cleanup, this.queued, null);
	}

	private long now() {
		return this.clock.nanos();
	}

	// Transfers a grant if there is one; with 'yield', any other instance that waits goes
	// first
	record Question(Claim request, OwnClaim claim, @Nullable OwnGrant transferred, boolean yield, long sentAt) {
	}

}
