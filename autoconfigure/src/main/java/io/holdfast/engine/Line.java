package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.Lock;

import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.concurrent.Deadline;
import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.concurrent.Retention;
import io.holdfast.concurrent.Sleeper;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Denied;
import io.holdfast.engine.store.LockStore.Granted;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.Incomplete;
import io.holdfast.engine.store.LockStore.NotHeld;
import io.holdfast.engine.store.LockStore.Outcome;
import io.holdfast.engine.store.LockStore.QueuePlace;
import io.holdfast.engine.store.LockStore.Transfer;
import io.holdfast.engine.store.LockStore.Yielded;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.Outage;
import io.holdfast.engine.store.PlaceName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this instance that want the same lock, in the order in which they came,
 * and what they share in the store: a claim, its place in the queue, and its grant. A
 * caller that asks for a shared or a fair lock, or for several, has a line of its own.
 *
 * <pre class="code">
 *           the first caller asks               it is granted, or handed on
 * callers ------------------------&gt; claim in the store ------------------------&gt; granted
 *    ^                                                                              |
 *    |  no caller is inside                        the first caller enters it      |
 *    +---------------------------------------- hold inside &lt;------------------------+
 * </pre>
 *
 * Callers come and go in memory. What the store answers belongs to the line, never to a
 * caller: one that leaves is replaced by the next, who asks under the same claim and
 * finds what was granted to it. Only a line without callers gives its claim up.
 *
 * <p>
 * The store is asked by one thread at a time, outside the lock that guards the line. Only
 * a hand-over whose lease runs out on the way is no longer waited for.
 */
final class Line implements Hold.Grantor, Retention.Retained {

	/**
	 * What {@link #proceed} returns when there is nothing to wait for any more.
	 */
	static final long DECIDED = 0;

	private static final long ASK = -1;

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	/**
	 * How often a short wait asks again while a retained lock is given back.
	 */
	private static final Duration LOOK = Duration.ofMillis(10);

	private static final Logger logger = LoggerFactory.getLogger(Line.class);

	private final Lines lines;

	private final Lines.Means means;

	private final @Nullable String key;

	private final Lock lock;

	private final Outage outage;

	private final Queue<Acquisition> callers = new ArrayDeque<>();

	private volatile OwnClaim claim;

	private volatile @Nullable QueuePlace place;

	private volatile boolean queued;

	/**
	 * The one that asks the store at present: a caller, or the hold inside.
	 */
	private volatile @Nullable Object asking;

	/**
	 * What the store has granted and no caller has entered yet.
	 */
	private @Nullable OwnGrant granted;

	private @Nullable Hold inside;

	/**
	 * The greatest one used: a caller enters only with a greater one.
	 */
	private long usedToken;

	private boolean woken;

	private long nextAttempt;

	private int handoffs;

	private boolean sectionsAreBrief;

	/**
	 * Whether other instances are known to wait.
	 */
	private boolean othersWait;

	/**
	 * Whether the store has to be asked when the hold inside ends.
	 */
	private boolean asksNext;

	/**
	 * Whether the hold inside is handed on to no caller, but to this instance.
	 */
	private boolean handedToInstance;

	/**
	 * Whether the grant stays here although no caller wants it, and until when.
	 */
	private volatile boolean retained;

	private volatile long retainedUntil;

	private boolean retired;

	private volatile @Nullable String holder;

	/**
	 * Create a line.
	 * @param lines all lines
	 * @param key the key whose plain callers share it, or {@code null} for one caller
	 */
	Line(Lines lines, Lines.Means means, @Nullable String key) {
		this.lines = lines;
		this.means = means;
		this.key = key;
		this.claim = lines.newClaim();
		this.lock = means.runtime().newLock();
		this.outage = means.newOutage();
	}

	/**
	 * Join the line. A caller that does not wait joins only an empty line; if others
	 * wait, the store is asked at once.
	 * @return {@code false} when this line is retired
	 */
	boolean join(Acquisition caller) {
		this.lock.lock();
		try {
			if (this.retired) {
				return false;
			}
			this.callers.add(caller);
			if (caller.isOneAttempt() && (this.inside != null || this.callers.peek() != caller)) {
				this.woken = true;
				endWait(caller);
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Go on until it is decided whether a caller holds the lock, or there is something to
	 * wait for.
	 * @return for how many nanoseconds to wait unless woken, or {@link #DECIDED}
	 */
	long proceed(Acquisition caller) {
		long next = next(caller);
		while (next == ASK) {
			ask(caller);
			next = next(caller);
		}
		return next;
	}

	private long next(Acquisition caller) {
		if (caller.isDecided()) {
			return DECIDED;
		}
		this.lock.lock();
		try {
			if (caller.isDecided()) {
				return DECIDED;
			}
			boolean isNext = this.inside == null && this.asking == null && this.callers.peek() == caller;
			if (this.outage.endsWaitOf(caller.deadline()) && !(isNext && isToAsk(caller))) {
				this.outage.throwIfPresent(caller.terms().text());
			}
			return isNext ? nextOfFirst(caller) : waitOrEnd(caller, Deadline.NONE);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The store may be back, for a caller that was not there when it did not answer.
	 */
	private boolean isToAsk(Acquisition caller) {
		return !caller.hasAsked() && this.nextAttempt - this.means.runtime().nanos() <= 0;
	}

	private long nextOfFirst(Acquisition caller) {
		boolean isNew = caller.asksAtOnce(this.queued);
		boolean counts = !caller.isOver()
				|| (isNew && (this.granted == null || this.retained || caller.isOneAttempt()));
		enterUnlessLate(caller, counts);
		if (caller.isDecided()) {
			return DECIDED;
		}
		long untilAttempt = this.nextAttempt - this.means.runtime().nanos();
		boolean due = this.granted != null || this.woken || untilAttempt <= 0 || isNew;
		boolean interrupted = !caller.isFirstAttempt() && Thread.currentThread().isInterrupted();
		if (due && counts && !interrupted) {
			this.asking = caller;
			this.woken = false;
			return ASK;
		}
		return waitOrEnd(caller, untilAttempt);
	}

	private long waitOrEnd(Acquisition caller, long nanos) {
		if (caller.isOver()) {
			this.outage.throwIfPresent(caller.terms().text());
			endWait(caller);
			return DECIDED;
		}
		caller.deadline().ensureMayWait();
		return Math.max(DECIDED + 1, Math.min(nanos, caller.deadline().left()));
	}

	private void endWait(Acquisition caller) {
		this.callers.remove(caller);
		caller.decide(null);
		wake(this.callers.peek());
	}

	/**
	 * Return whether a caller can enter a grant as it is. A grant for another caller or
	 * lease, or one that a caller has held before, must be transferred first, since each
	 * has its own token. A retained grant suits any caller.
	 */
	private boolean isFor(Acquisition caller, OwnGrant grant) {
		boolean fits = this.retained ? caller.terms().autoRenew() && grant.mayBegin(grant.token())
				: caller.owner().id().equals(grant.id().owner());
		return fits && caller.terms().lease().equals(grant.lasts()) && grant.token() > this.usedToken;
	}

	/**
	 * Ask the store on a caller's behalf. Without an answer, the next caller asks under
	 * the same claim.
	 */
	private void ask(Acquisition caller) {
		long askedAt = this.means.runtime().nanos();
		OwnClaim asked = this.claim;
		try {
			OwnGrant grant = takeGrant(askedAt);
			if (grant != null) {
				handedOn(caller, handOn(grant, request(asked, caller, place(caller)), asked));
			}
			else {
				this.means.cleanup().settle(caller.terms().keys(), caller.owner().id());
				acquire(caller, asked);
				caller.answered();
			}
		}
		catch (LockStoreException ex) {
			failed(ex);
			caller.notAnswered(Duration.ofNanos(this.means.runtime().nanos() - askedAt));
			logger.debug("Could not ask for lock '{}', trying again", LogText.of(caller.terms().text()), ex);
			if (caller.isOver() && !caller.isFirstAttempt()) {
				throw Outage.unavailable(caller.terms().text(), ex);
			}
		}
		finally {
			endAsking(caller);
		}
	}

	/**
	 * From here on the store decides whose grant it is, answered or not: no caller enters
	 * it under its present token.
	 */
	private @Nullable OwnGrant takeGrant(long askedAt) {
		this.lock.lock();
		try {
			OwnGrant taken = this.granted;
			this.granted = null;
			this.retained = false;
			this.nextAttempt = askedAt;
			if (taken != null) {
				this.usedToken = Math.max(this.usedToken, taken.token());
			}
			forgetOthers();
			return taken;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void failed(LockStoreException failure) {
		this.lock.lock();
		try {
			this.nextAttempt = this.means.runtime().nanos() + this.outage.failed(failure).toNanos();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void endAsking(Acquisition caller) {
		this.lock.lock();
		try {
			if (this.asking == caller) {
				this.asking = null;
				wakeNext();
			}
			retireIfUnused();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * One that waits for a section of this line is woken when that ends.
	 */
	private void wakeNext() {
		Acquisition next = this.callers.peek();
		if (this.inside == null) {
			wake(next);
		}
		else if (next != null && this.sectionsAreBrief) {
			next.wakeEarly();
		}
	}

	private void acquire(Acquisition caller, OwnClaim asked) {
		caller.deadline().ensureOpen();
		boolean waits = !caller.isOneAttempt() || this.means.store().canRetain();
		Claim request = request(asked, caller, waits ? place(caller) : null);
		this.queued |= !caller.isOneAttempt();
		expectWakeUps(request);
		asked.sent(request);
		long sentAt = this.means.runtime().nanos();
		Outcome outcome;
		try {
			outcome = this.means.store().acquire(request);
		}
		catch (LockStoreException ex) {
			this.queued |= request.place() != null;
			asked.notAnswered(ex);
			throw ex;
		}
		asked.answered();
		this.queued &= !(outcome instanceof Granted) || request.place() == null;
		try {
			answered(caller, outcome, sentAt);
		}
		finally { // also if only a part was asked
			if (outcome instanceof Incomplete incomplete) {
				this.means.cleanup().giveBack(incomplete.granted(), request.lease());
			}
		}
	}

	private static Claim request(OwnClaim claim, Acquisition caller, @Nullable QueuePlace taken) {
		return claim.request(caller.terms(), caller.owner(), caller.nested(), taken);
	}

	/**
	 * A single try waits briefly behind a retained lock.
	 */
	private QueuePlace place(Acquisition caller) {
		QueuePlace present = this.place;
		if (present == null) {
			Terms terms = caller.terms();
			boolean several = terms.fair() && terms.keys().size() > 1;
			PlaceName name = new PlaceName(caller.owner().id(), this.claim.number(), several, terms.mode());
			present = new QueuePlace(name.toString(), this.means.limits().placeKept(), false);
			this.place = present;
		}
		return caller.isOneAttempt() ? new QueuePlace(present.id(), Acquisition.GIVING_BACK, true) : present;
	}

	/**
	 * A line that is not found by its key is found by its place.
	 */
	private void expectWakeUps(Claim request) {
		QueuePlace taken = request.place();
		if (this.key == null && taken != null) {
			this.lines.expectWakeUps(taken, this);
		}
	}

	/**
	 * The grant is given back. The next request is another claim, which must not get the
	 * same grant. Its grant has had no holder before.
	 */
	private void renewClaim() {
		OwnClaim old = this.claim;
		newClaim();
		old.giveUp(this.means.cleanup(), null);
	}

	private void newClaim() {
		this.claim = this.lines.newClaim().after(this.claim);
		this.usedToken = 0;
		this.handoffs = 0;
	}

	private void answered(Acquisition caller, Outcome outcome, long sentAt) {
		this.lock.lock();
		try {
			if (outcome instanceof Incomplete incomplete) {
				LockStoreException failure = incomplete.failure();
				if (failure != null && incomplete.granted().grants().size() < caller.terms().keys().size()) {
					this.claim.failed(failure);
				}
				renewClaim();
				if (failure != null) {
					throw failure;
				}
			}
			this.outage.answered();
			if (outcome instanceof Granted grant) {
				granted(grant, sentAt, caller.terms().lease());
				enterUnlessLate(caller, caller.isFirstAttempt());
			}
			else {
				denied(caller, (outcome instanceof Incomplete incomplete) ? Objects.requireNonNull(incomplete.denied())
						: (Denied) outcome);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void granted(Granted grant, long sentAt, Duration lease) {
		this.othersWait |= grant.othersWait();
		this.granted = new OwnGrant(grant.hold(), grant.lastToken(), sentAt, lease, this.means.runtime());
	}

	private void denied(Acquisition caller, Denied denied) {
		this.holder = denied.holder();
		this.nextAttempt = this.means.runtime().nanos();
		boolean waits = caller.awaitGivenBack(denied.isRetained());
		if (waits || caller.isOneAttempt()) {
			this.queued |= waits;
			this.nextAttempt += LOOK.toNanos();
			return;
		}
		Duration remaining = denied.remaining();
		boolean endsSooner = !remaining.isNegative() && remaining.compareTo(this.means.limits().poll()) < 0;
		this.nextAttempt += (endsSooner ? remaining.plus(PAST_EXPIRY) : this.means.limits().poll()).toNanos();
	}

	/**
	 * Let a caller in that there is a grant for, unless it is too late: a first attempt
	 * counts however long it took.
	 */
	private void enterUnlessLate(Acquisition caller, boolean counts) {
		OwnGrant grant = this.granted;
		if (grant != null && (counts || !caller.isOver()) && isFor(caller, grant)) {
			enterHold(caller, grant);
		}
	}

	/**
	 * Let a caller in, unless the lease has run out meanwhile: then the grant is given
	 * back and requested again.
	 */
	private void enterHold(Acquisition caller, OwnGrant grant) {
		if (grant.lease().isOver()) {
			this.granted = null;
			this.retained = false;
			this.means.cleanup().giveBackLater(grant.id(), this.claim.lease());
			renewClaim();
			this.nextAttempt = this.means.runtime().nanos() + Outage.RETRY.toNanos();
			return;
		}
		enter(caller, newHold(caller, grant));
	}

	private Hold newHold(Acquisition caller, OwnGrant grant) {
		return new Hold(grant, caller.terms(), caller.owner(), this, this.claim, this.means.runtime());
	}

	private void enter(Acquisition caller, Hold hold) {
		this.callers.remove(caller); // first, as one that has a hold need not leave
		caller.decide(hold);
		this.inside = hold;
		this.granted = null;
		this.retained = false;
		this.usedToken = hold.grant().token();
		this.holder = caller.owner().id();
	}

	/**
	 * Release the hold inside: the lock goes to the next caller in the same step, except
	 * that another instance has its turn now and then. Without a next caller it may be
	 * retained.
	 * @return whether it was held until now; pending if its claim was given up meanwhile,
	 * which may have taken it away
	 */
	@Override
	public ReleaseResult release(Hold hold) {
		if (pass(hold)) {
			return ReleaseResult.RELEASED;
		}
		Successor next = startHandingOn(hold);
		if (next == null) {
			return releaseInStore(hold);
		}
		try {
			return leaveTo(next, hold, handOn(hold.grant(), request(next, hold), next.claim()));
		}
		finally {
			end(hold);
			giveUpIfLeft(next.claim());
		}
	}

	/**
	 * Without an answer, a fail-over may have taken the hand-over to this hold back.
	 */
	private ReleaseResult releaseInStore(Hold hold) {
		try {
			return hold.released(this.means.store().release(hold.grant().id()));
		}
		catch (Throwable ex) {
			hold.doubtClaim();
			throw ex;
		}
	}

	private Claim request(Successor next, Hold hold) {
		Acquisition caller = next.caller();
		return (caller != null) ? request(next.claim(), caller, place(caller))
				: next.claim().request(hold.terms(), this.means.owners().retaining(), false, null);
	}

	/**
	 * Let the next caller in without asking the store, which confirmed the grant
	 * recently; each has its own token. The one after it is woken early, if it is next in
	 * a moment.
	 * @return {@code false} when the store has to be asked
	 */
	private boolean pass(Hold hold) {
		Acquisition entering = null;
		Acquisition afterNext = null;
		this.lock.lock();
		try {
			Acquisition next = this.callers.peek();
			if (this.inside != hold || !mayPass(hold, next)) {
				return false;
			}
			hold.grant().useNextToken();
			if (next == null) {
				return retain(hold);
			}
			this.sectionsAreBrief = hold.heldFor().toNanos() < Sleeper.MOMENT;
			Hold following = newHold(next, hold.grant());
			entering = next;
			if (!hold.pass()) {
				return false;
			}
			this.handoffs = this.othersWait ? this.handoffs + 1 : 0;
			enter(next, following);
			afterNext = (this.sectionsAreBrief && !othersGoFirst()) ? this.callers.peek() : null;
			return true;
		}
		finally {
			this.lock.unlock();
			wake(entering);
			if (afterNext != null) {
				afterNext.wakeEarly();
			}
		}
	}

	private boolean mayPass(Hold hold, @Nullable Acquisition next) {
		long now = this.means.runtime().nanos();
		if (this.asksNext || !hold.grant().mayPass(now, this.means.limits().handoverCheck())) {
			return false;
		}
		if (next == null) {
			return mayRetain(hold) && hold.grant().isRetained();
		}
		return !othersGoFirst() && !next.isOver() && next.terms().autoRenew()
				&& next.terms().lease().equals(hold.grant().lasts());
	}

	private boolean othersGoFirst() {
		return this.othersWait && this.handoffs >= this.means.limits().handoffs();
	}

	/**
	 * Return whether the lock may stay here without a caller.
	 */
	private boolean mayRetain(Hold hold) {
		return !hold.terms().retain().isZero() && !this.othersWait && !this.asksNext
				&& this.lines.retention().isAllowed();
	}

	/**
	 * Keep the lock for the next caller, as others in the store see already.
	 * @return {@code false} when the store has to be asked
	 */
	private boolean retain(Hold hold) {
		long until = retainedUntil(hold.grant(), hold.terms());
		if (!hold.pass()) {
			return false;
		}
		this.inside = null;
		this.granted = hold.grant();
		this.retainedUntil = until;
		this.retained = true;
		return true;
	}

	/**
	 * While a third of the lease is left, the next caller can still have it renewed.
	 */
	private long retainedUntil(OwnGrant grant, Terms terms) {
		long asked = this.means.runtime().nanos() + MonotonicClock.toNanos(terms.retain());
		return MonotonicClock.earlier(asked, grant.lease().deadline() - MonotonicClock.toNanos(grant.lasts()) / 3);
	}

	@Override
	public boolean isRetained() {
		return this.retained;
	}

	@Override
	public long until() {
		return this.retainedUntil;
	}

	/**
	 * Give back a retained grant, unless a caller has come. This is one step, so the next
	 * caller sees that the store must be asked.
	 */
	@Override
	public boolean giveBack() {
		this.lock.lock();
		try {
			if (this.retained && this.callers.isEmpty()) {
				this.retained = false;
				retireIfUnused();
			}
			return this.retired;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Handle a message that another instance waits. A retained lock is given back, or its
	 * present holder is written to the store.
	 * @param next whether it goes next
	 */
	void wanted(boolean next) {
		HoldId used = null;
		this.lock.lock();
		try {
			this.othersWait = true;
			this.asksNext |= next;
			if (this.inside != null && this.inside.grant().isRetained()) {
				this.inside.grant().name();
				used = this.inside.grant().id();
			}
		}
		finally {
			this.lock.unlock();
		}
		if (used != null) {
			this.lines.confirmSoon(used);
		}
		giveBack();
	}

	private void forgetOthers() {
		this.othersWait = false; // the store says who waits
		this.asksNext = false;
	}

	/**
	 * All callers may have left, and given up the claim, while the grant was handed on.
	 */
	private void giveUpIfLeft(OwnClaim handedOn) {
		this.lock.lock();
		try {
			if (this.retired) {
				giveUp();
			}
			if (handedOn != this.claim) {
				handedOn.giveUp(this.means.cleanup(), null);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Successor startHandingOn(Hold hold) {
		this.lock.lock();
		try {
			Acquisition next = this.callers.peek();
			if (this.inside != hold || (next == null && !mayRetain(hold))) {
				return null;
			}
			this.asking = hold;
			this.handedToInstance = next == null;
			this.woken = false;
			forgetOthers();
			hold.takeClaim();
			return new Successor(next, this.claim);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Hand the grant on under the same claim. Without an answer, the next caller that
	 * asks finds out whether it was done.
	 */
	private HandOver handOn(OwnGrant from, Claim request, OwnClaim successor) {
		long sentAt = this.means.runtime().nanos();
		this.queued = request.place() != null;
		boolean yield = this.handoffs >= this.means.limits().handoffs();
		successor.sent(request);
		try {
			Transfer outcome = this.means.store().transfer(from.id(), request, yield);
			successor.answered();
			return new HandOver(outcome, sentAt, request.lease());
		}
		catch (LockStoreException ex) {
			successor.notAnswered(ex);
			throw ex;
		}
	}

	/**
	 * Book the result of handing a grant to the next caller. If all have left meanwhile,
	 * the claim was given up. If the lease has run out, others already ask, and find out
	 * themselves.
	 */
	private ReleaseResult leaveTo(Successor next, Hold hold, HandOver handOver) {
		this.lock.lock();
		try {
			boolean counts = this.asking == hold;
			if (counts) {
				this.inside = null;
				handedOn(handOver);
				OwnGrant kept = this.granted;
				if (next.caller() == null && kept != null && !this.retired && mayRetain(hold)) {
					this.retainedUntil = retainedUntil(kept, hold.terms());
					this.retained = true;
				}
			}
			else {
				next.claim().doubt();
			}
			if (handOver.outcome() instanceof NotHeld) {
				return (counts && !this.retired) ? ReleaseResult.LOST : ReleaseResult.PENDING;
			}
			return ReleaseResult.RELEASED;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Book the result of handing a grant to a caller that asked for it.
	 */
	private void handedOn(Acquisition caller, HandOver handOver) {
		this.lock.lock();
		try {
			this.outage.answered();
			handedOn(handOver);
			enterUnlessLate(caller, caller.isFirstAttempt());
		}
		finally {
			this.lock.unlock();
		}
	}

	private void handedOn(HandOver handOver) {
		this.holder = null;
		this.queued &= handOver.outcome() instanceof Yielded;
		if (handOver.outcome() instanceof Granted grant) {
			granted(grant, handOver.sentAt(), handOver.lease());
			this.handoffs = this.othersWait ? this.handoffs + 1 : 0;
			return;
		}
		if (handOver.outcome() instanceof Yielded) {
			this.nextAttempt = handOver.sentAt() + this.means.limits().poll().toNanos();
		}
		else if (handOver.outcome() instanceof NotHeld) {
			this.claim.doubt();
		}
		renewClaim();
	}

	/**
	 * Continue without a hold that was downgraded. Its claim goes with it.
	 */
	@Override
	public void detach(Hold hold) {
		end(hold, true);
	}

	/**
	 * A hold has ended, in whatever way. Waiters ask under a new claim, unless the grant
	 * was handed on.
	 */
	@Override
	public void end(Hold hold) {
		end(hold, false);
	}

	private void end(Hold hold, boolean shared) {
		this.lock.lock();
		try {
			OwnClaim ended = shared ? null : hold.takeClaim();
			boolean wasInside = this.inside == hold;
			boolean concerned = wasInside || this.asking == hold;
			if (wasInside) {
				this.inside = null;
				this.woken = true;
			}
			if (this.asking == hold) {
				this.asking = null;
			}
			if (concerned) {
				wake(this.callers.peek());
			}
			if (wasInside && (shared || ended != null)) {
				newClaim();
			}
			if (ended != null) {
				ended.giveUp(this.means.cleanup(), null);
			}
			if (concerned) {
				retireIfUnused();
			}
		}
		finally {
			this.lock.unlock();
		}
		if (this.retained) {
			this.lines.retention().add(this);
		}
	}

	void leave(Acquisition caller) {
		if (caller.hasHold() && this.asking != caller) {
			return;
		}
		this.lock.lock();
		try {
			if (this.callers.remove(caller)) {
				wake(this.callers.peek());
			}
		}
		finally {
			this.lock.unlock();
		}
		endAsking(caller);
	}

	/**
	 * In one step: a caller that comes next finds nothing in its way but what is to be
	 * cleaned up.
	 */
	private void retireIfUnused() {
		boolean isHandedOn = this.asking == this.inside && !this.handedToInstance;
		boolean isUsed = (this.asking != null || this.inside != null) && !isHandedOn;
		if (!this.retired && !this.retained && !isUsed && this.callers.isEmpty()) {
			this.retired = true;
			giveUp();
		}
	}

	private void giveUp() {
		OwnGrant unused = this.granted;
		this.granted = null;
		if (unused != null) {
			this.means.cleanup().giveBackLater(unused.id(), this.claim.lease());
		}
		QueuePlace taken = this.place;
		this.claim.giveUp(this.means.cleanup(), this.queued ? taken : null);
		if (this.key != null) {
			this.lines.remove(this.key, this);
		}
		else if (taken != null) {
			this.lines.expectNoWakeUps(taken);
		}
		this.lines.retention().remove(this);
	}

	@Override
	public boolean isWaitedFor() {
		this.lock.lock();
		try {
			return !this.callers.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
	}

	void wakeUp() {
		Acquisition first;
		this.lock.lock();
		try {
			this.woken = true;
			first = this.callers.peek();
		}
		finally {
			this.lock.unlock();
		}
		wake(first); // who needs the line's lock at once
	}

	private static void wake(@Nullable Acquisition caller) {
		if (caller != null) {
			caller.wake();
		}
	}

	/**
	 * Return the holder at the last attempt, or {@code null} if it is not known.
	 */
	@Nullable String holder() {
		return this.holder;
	}

	@Override
	public int hashCode() {
		return Objects.hashCode(this.key); // the same lines, the same order
	}

	/**
	 * The caller that gets a grant, or {@code null} to retain it, and the claim that it
	 * stays a grant of.
	 */
	private record Successor(@Nullable Acquisition caller, OwnClaim claim) {
	}

	/**
	 * The result of handing a grant on.
	 *
	 * @param sentAt when the request was sent
	 * @param lease the lease that was requested
	 */
	private record HandOver(Transfer outcome, long sentAt, Duration lease) {
	}

}
