package io.holdfast.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.Lock;

import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for a line, one thread at a time, and books the answers: has its claim,
 * its place in the queue and its grant, and knows when to ask again.
 *
 * <p>
 * The store is asked without the lock that guards the line. What only says how to ask
 * belongs to the thread that asks; the rest is guarded by that lock.
 */
final class Claimant {

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	private final Lines lines;

	private final StoreAccess access;

	private final Lock lock;

	private final Passing passing;

	private final Outage outage;

	private volatile OwnClaim claim;

	private volatile @Nullable QueuePlace place;

	/**
	 * Whether the store may have the place.
	 */
	private volatile boolean queued;

	// No caller has entered it yet
	private @Nullable OwnGrant granted;

	private boolean woken;

	// Whether the store named no holder when it denied the lock to a caller without other
	// locks: a waiter may go before it
	private boolean keptBack;

	private long nextAttempt;

	private volatile @Nullable String holder;

	private volatile int permitsTaken;

	Claimant(Lines lines, StoreAccess access, Lock lock, Passing passing) {
		this.lines = lines;
		this.access = access;
		this.lock = lock;
		this.passing = passing;
		this.outage = access.newOutage();
		this.claim = lines.newClaim();
	}

	OwnClaim claim() {
		return this.claim;
	}

	@Nullable OwnGrant granted() {
		return this.granted;
	}

	@Nullable String holder() {
		return this.holder;
	}

	int permitsTaken() {
		return this.permitsTaken;
	}

	boolean isQueued() {
		return this.queued;
	}

	@Nullable QueuePlace place() {
		return this.place;
	}

	/**
	 * Return a caller's place. The first caller gives it its name.
	 */
	QueuePlace place(Acquisition caller) {
		QueuePlace present = this.place;
		if (present == null) {
			Terms terms = caller.terms();
			boolean several = terms.fair() && terms.keys().size() > 1;
			PlaceName name = new PlaceName(caller.owner().id(), this.claim.number(), several, terms.mode(),
					terms.permits());
			present = new QueuePlace(name.toString(), this.access.poll().multipliedBy(2));
			this.place = present;
		}
		return present;
	}

	void wakeUp() {
		this.woken = true;
	}

	// Where a waiter keeps the first caller back, one that owns other locks is next: the
	// waiter may wait for one of those
	@Nullable Acquisition next(Queue<Acquisition> callers) {
		Acquisition first = callers.peek();
		return this.keptBack ? callers.stream().filter(this::mayPass).findFirst().orElse(first) : first;
	}

	private boolean mayPass(Acquisition caller) {
		return this.keptBack && caller.nested();
	}

	boolean isToAsk(Acquisition caller) {
		return this.granted != null || this.woken || mayPass(caller) || untilAttempt() <= 0;
	}

	long untilAttempt() {
		return this.nextAttempt - this.access.runtime().nanos();
	}

	/**
	 * Return whether a caller must give up because the store does not answer. One that
	 * was not there then may ask again: the store may be back.
	 */
	boolean isUnavailable(Deadline deadline, boolean mayAsk) {
		return this.outage.endsWaitOf(deadline) && !(mayAsk && untilAttempt() <= 0);
	}

	void ensureAnswered(Terms terms) {
		this.outage.throwIfPresent(terms.text());
	}

	/**
	 * The store is to be asked. It says who else waits.
	 */
	void begin() {
		this.woken = false;
		this.keptBack = false;
		this.passing.forgetOthers();
	}

	/**
	 * Ask on a caller's behalf. A grant that no caller has entered is transferred to it.
	 * Without an answer, the next caller asks under the same claim.
	 */
	void ask(Acquisition caller) {
		OwnClaim asked = this.claim;
		OwnGrant grant = takeGrant();
		if (grant != null) {
			transfer(grant, asked, caller);
			return;
		}
		this.access.cleanup().settle(caller.terms().keys(), caller.owner().id(), caller.deadline());
		acquire(asked, caller);
		caller.answered();
	}

	/**
	 * From here on the store decides whose grant it is, answered or not: no caller enters
	 * it under its present token.
	 */
	private @Nullable OwnGrant takeGrant() {
		this.lock.lock();
		try {
			OwnGrant taken = this.granted;
			this.granted = null;
			this.nextAttempt = this.access.runtime().nanos();
			if (taken != null) {
				this.claim.useToken(taken.token());
			}
			begin();
			return taken;
		}
		finally {
			this.lock.unlock();
		}
	}

	void notAnswered(LockStoreException failure) {
		this.nextAttempt = this.access.runtime().nanos() + this.outage.failed(failure).toNanos();
	}

	private void acquire(OwnClaim asked, Acquisition caller) {
		caller.deadline().ensureOpen();
		boolean waits = !caller.isOneAttempt();
		Claim request = caller.request(asked, waits ? place(caller) : null);
		this.queued |= waits;
		long sentAt = this.access.runtime().nanos();
		Outcome outcome = send(request, asked);
		try {
			answered(outcome, sentAt, caller);
		}
		finally { // also if only a part was asked
			if (outcome instanceof Incomplete incomplete) {
				this.access.cleanup().giveBack(incomplete.granted(), request.lease());
			}
		}
	}

	private Outcome send(Claim request, OwnClaim asked) {
		asked.sent(request);
		try {
			Outcome outcome = this.access.store().acquire(request);
			asked.answered();
			this.queued &= !(outcome instanceof Granted) || request.place() == null;
			return outcome;
		}
		catch (LockStoreException ex) {
			this.queued |= request.place() != null;
			asked.notAnswered(ex);
			throw ex;
		}
	}

	private void answered(Outcome outcome, long sentAt, Acquisition caller) {
		this.lock.lock();
		try {
			if (outcome instanceof Incomplete incomplete) {
				notGranted(incomplete, caller.terms());
			}
			this.outage.answered();
			if (outcome instanceof Granted grant) {
				granted(grant, sentAt, caller.terms().lease());
				ensureInTime(caller.terms().lease());
			}
			else {
				denied((outcome instanceof Incomplete incomplete) ? Objects.requireNonNull(incomplete.denied())
						: (Denied) outcome, caller);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void notGranted(Incomplete incomplete, Terms terms) {
		LockStoreException failure = incomplete.failure();
		if (failure != null && incomplete.granted().grants().size() < terms.keys().size()) {
			this.claim.failed(failure);
		}
		renewClaim();
		if (failure != null) {
			throw failure;
		}
	}

	private void granted(Granted grant, long sentAt, Duration lease) {
		if (grant.othersWait()) {
			this.passing.wanted(false);
		}
		this.granted = new OwnGrant(grant.hold(), grant.lastToken(), sentAt, lease, this.access.runtime());
	}

	/**
	 * A grant whose lease is over when it arrives is as useless as none.
	 */
	private void ensureInTime(Duration lease) {
		OwnGrant grant = this.granted;
		if (grant != null && grant.lease().isOver()) {
			giveBack(grant);
			throw new Outage.LateGrantException(lease);
		}
	}

	private void giveBack(OwnGrant grant) {
		this.granted = null;
		this.access.cleanup().giveBackLater(grant.id(), this.claim.lease());
		renewClaim();
	}

	private void denied(Denied denied, Acquisition caller) {
		this.holder = denied.holder();
		this.permitsTaken = denied.permitsTaken();
		this.keptBack = denied.holder() == null && !caller.nested();
		this.nextAttempt = this.access.runtime().nanos() + untilPoll(denied).toNanos();
	}

	/**
	 * Return after what time to ask again, so that the place is not lost. While messages
	 * arrive, those behind the first ask only in case those in front are gone. Of several
	 * servers to choose from, only one sends messages.
	 */
	private Duration untilPoll(Denied denied) {
		Duration poll = this.access.poll();
		Duration remaining = denied.remaining();
		LockStore store = this.access.store();
		boolean isHeard = store.subscription() == Subscription.ACTIVE && store.chooser() == null;
		Duration behind = isHeard ? poll.multipliedBy(denied.times() - 1) : Duration.ZERO;
		boolean isFreeSooner = !remaining.isNegative() && remaining.compareTo(poll) < 0;
		return behind.plus(isFreeSooner ? remaining.plus(PAST_EXPIRY) : poll);
	}

	/**
	 * Return the grant if a caller can enter it as it is. If its lease has run out
	 * meanwhile, it is given back and requested again.
	 */
	@Nullable OwnGrant grantFor(Acquisition caller) {
		OwnGrant grant = this.granted;
		if (grant == null || !isFor(caller, grant)) {
			return null;
		}
		if (!grant.lease().isOver()) {
			return grant;
		}
		giveBack(grant);
		this.nextAttempt = this.access.runtime().nanos() + Outage.RETRY.toNanos();
		return null;
	}

	/**
	 * A grant for another caller or lease, or one that a caller has held before, must be
	 * transferred first, since each has its own token.
	 */
	private boolean isFor(Acquisition caller, OwnGrant grant) {
		return caller.owner().id().equals(grant.id().owner()) && caller.terms().lease().equals(grant.lasts())
				&& this.claim.mayUse(grant.token());
	}

	void entered(Hold hold) {
		this.granted = null;
		this.claim.useToken(hold.grant().token());
		this.holder = hold.owner().id();
	}

	private void transfer(OwnGrant grant, OwnClaim asked, Acquisition caller) {
		Claim request = caller.request(asked, place(caller));
		long sentAt = this.access.runtime().nanos();
		Transfer outcome = transfer(grant, asked, request);
		this.lock.lock();
		try {
			this.outage.answered();
			transferred(outcome, sentAt, request.lease());
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Hand a grant on under the same claim, unless another instance goes first. Without
	 * an answer, the next caller that asks finds out whether it was done.
	 */
	Transfer transfer(OwnGrant grant, OwnClaim to, Claim request) {
		this.queued = request.place() != null;
		to.sent(request);
		try {
			Transfer outcome = this.access.store().transfer(grant.id(), request, this.passing.isOthersTurn());
			to.answered();
			return outcome;
		}
		catch (LockStoreException ex) {
			to.notAnswered(ex);
			throw ex;
		}
	}

	/**
	 * Book a transfer. Where it did not grant the lock, the next request is another
	 * claim.
	 */
	void transferred(Transfer outcome, long sentAt, Duration lease) {
		this.holder = null;
		this.queued &= outcome instanceof Yielded;
		if (outcome instanceof Granted grant && this.claim.mayUse(grant.hold().grants().get(0).token())) {
			granted(grant, sentAt, lease);
			this.passing.handedOn();
			return;
		}
		if (outcome instanceof Granted behind) {
			// After a fail-over to a clock behind: a new claim has used no token
			this.access.cleanup().giveBackLater(behind.hold(), this.claim.lease());
			wakeUp();
		}
		else if (outcome instanceof Yielded) {
			this.nextAttempt = sentAt + this.access.poll().toNanos();
		}
		else if (outcome instanceof NotHeld) {
			this.claim.doubt();
		}
		renewClaim();
	}

	/**
	 * Without an answer, a fail-over may have taken the hand-over to this hold back.
	 */
	ReleaseResult release(Hold hold) {
		try {
			return hold.released(this.access.store().release(hold.grant().id()));
		}
		catch (Throwable ex) {
			hold.doubtClaim();
			throw ex;
		}
	}

	/**
	 * The grant is given back. The next request is another claim, which must not get the
	 * same grant.
	 */
	private void renewClaim() {
		changeClaim().giveUp(this.access.cleanup(), null);
	}

	OwnClaim changeClaim() {
		OwnClaim before = this.claim;
		this.claim = this.lines.newClaim().after(before);
		this.passing.restart();
		return before;
	}

	void giveUp() {
		OwnGrant unused = this.granted;
		this.granted = null;
		if (unused != null) {
			this.access.cleanup().giveBackLater(unused.id(), this.claim.lease());
		}
		this.claim.giveUp(this.access.cleanup(), this.queued ? this.place : null);
	}

}
