package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.Lock;

import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.Passing.Next;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this instance that want the same lock, in the order in which they came
 * (but see {@link Claimant#next}), and who of them is inside. A caller that asks for a
 * shared or a fair lock, or for several, has a line of its own. What they share in the
 * store is a {@link Claimant}'s; {@link Passing} decides how the lock goes on when a
 * section ends.
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
final class Line implements Hold.Grantor {

	static final long DECIDED = 0;

	private static final long ASK = -1;

	private static final Logger logger = LoggerFactory.getLogger(Line.class);

	private final Lines lines;

	private final StoreAccess access;

	// The key of plain callers, who share the line; null in a line of one other caller
	private final @Nullable String key;

	private final Lock lock;

	private final Passing passing;

	private final Claimant claimant;

	private final Queue<Acquisition> callers = new ArrayDeque<>(1);

	// What asks the store at present: a caller, or a HandOver
	private volatile @Nullable Object asking;

	private @Nullable Hold inside;

	private boolean retired;

	Line(Lines lines, StoreAccess access, @Nullable String key) {
		this.lines = lines;
		this.access = access;
		this.key = key;
		this.lock = access.runtime().newLock();
		this.passing = new Passing(access.settings(), access.runtime());
		this.claimant = new Claimant(lines, access, this.lock, this.passing);
	}

	// A caller that does not wait joins only an empty line; if others wait, the store is
	// asked at once
	boolean join(Acquisition caller) {
		this.lock.lock();
		try {
			if (this.retired) {
				return false;
			}
			this.callers.add(caller);
			if (caller.isOneAttempt() && (this.inside != null || this.callers.peek() != caller)) {
				this.claimant.wakeUp();
				endWait(caller);
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

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
			boolean isNext = this.inside == null && this.asking == null && nextCaller() == caller;
			if (this.claimant.isUnavailable(caller.deadline(), isNext && !caller.hasAsked())) {
				this.claimant.ensureAnswered(caller.terms());
			}
			return isNext ? goOnWithNext(caller) : waitOrEnd(caller, Deadline.NONE);
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Acquisition nextCaller() {
		return this.claimant.next(this.callers);
	}

	private long goOnWithNext(Acquisition caller) {
		boolean isNew = caller.asksAtOnce(this.claimant.isQueued());
		boolean counts = !caller.isOver() || (isNew && (this.claimant.granted() == null || caller.isOneAttempt()));
		enterUnlessLate(caller, counts);
		if (caller.isDecided()) {
			return DECIDED;
		}
		boolean interrupted = !caller.isFirstAttempt() && Thread.currentThread().isInterrupted();
		if ((isNew || this.claimant.isToAsk(caller)) && counts && !interrupted) {
			this.asking = caller;
			return ASK;
		}
		return waitOrEnd(caller, this.claimant.untilAttempt());
	}

	private long waitOrEnd(Acquisition caller, long nanos) {
		if (caller.isOver()) {
			this.claimant.ensureAnswered(caller.terms());
			endWait(caller);
			return DECIDED;
		}
		caller.deadline().ensureMayWait();
		return Math.max(DECIDED + 1, Math.min(nanos, caller.deadline().left()));
	}

	private void endWait(Acquisition caller) {
		this.callers.remove(caller);
		caller.decide(null);
		wake(nextCaller());
	}

	// A line that is not found by its key is found by its place
	private void ask(Acquisition caller) {
		boolean counts = caller.isFirstAttempt();
		long askedAt = this.access.runtime().nanos();
		try {
			if (this.key == null) {
				this.lines.expectWakeUps(this.claimant.place(caller), this);
			}
			this.claimant.ask(caller);
		}
		catch (LockStoreException ex) {
			this.claimant.notAnswered(ex);
			caller.notAnswered(ex, Duration.ofNanos(this.access.runtime().nanos() - askedAt));
			logger.debug("Could not ask for lock '{}', trying again", LogText.of(caller.terms().text()), ex);
			if (caller.isOver() && !caller.isFirstAttempt()) {
				throw Outage.unavailable(caller.terms().text(), ex);
			}
		}
		finally {
			answered(caller, counts);
		}
	}

	private void answered(Acquisition caller, boolean counts) {
		this.lock.lock();
		try {
			enterUnlessLate(caller, counts);
			endAsking(caller);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void endAsking(Acquisition caller) {
		if (this.asking == caller) {
			this.asking = null;
			wakeNext();
		}
		retireIfUnused();
	}

	// One that waits for a section of this line is woken when that ends
	private void wakeNext() {
		Acquisition next = nextCaller();
		if (this.inside == null) {
			wake(next);
		}
		else if (next != null && this.passing.isBrief()) {
			next.wakeEarly();
		}
	}

	// A first attempt counts however long it took
	private void enterUnlessLate(Acquisition caller, boolean counts) {
		OwnGrant grant = (counts || !caller.isOver()) ? this.claimant.grantFor(caller) : null;
		if (grant != null) {
			enter(caller, newHold(caller, grant));
		}
	}

	private Hold newHold(Acquisition caller, OwnGrant grant) {
		return new Hold(grant, caller.terms(), caller.owner(), caller.context(), this, this.claimant.claim(),
				this.access.runtime());
	}

	private void enter(Acquisition caller, Hold hold) {
		this.callers.remove(caller); // first, as one that has a hold need not leave
		caller.decide(hold);
		this.inside = hold;
		this.claimant.entered(hold);
	}

	/**
	 * Release the hold inside: the lock goes to the next caller in the same step, except
	 * that another instance has its turn now and then.
	 * @return whether it was held until now; pending if its claim was given up meanwhile,
	 * which may have taken it away
	 */
	@Override
	public ReleaseResult release(Hold hold) {
		if (pass(hold)) {
			return ReleaseResult.RELEASED;
		}
		HandOver next = startHandingOn(hold);
		if (next == null) {
			return this.claimant.release(hold);
		}
		try {
			return handOn(next);
		}
		finally {
			end(hold);
			giveUpIfLeft(next.claim());
		}
	}

	private Next nextAfter(Hold hold) {
		Acquisition first = this.callers.peek();
		if (this.inside != hold || first == null) {
			return Next.RELEASE;
		}
		return first.isOver() ? Next.HAND_ON : this.passing.next(hold, first.terms());
	}

	// Does not ask the store. The caller after the next one is woken early, if it is next
	// in a moment
	private boolean pass(Hold hold) {
		Acquisition entering = null;
		Acquisition afterNext = null;
		this.lock.lock();
		try {
			entering = (nextAfter(hold) == Next.PASS) ? this.callers.peek() : null;
			if (entering == null || !pass(hold, entering)) {
				return false;
			}
			afterNext = this.passing.isBriefAgain() ? this.callers.peek() : null;
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

	private boolean pass(Hold hold, Acquisition next) {
		hold.grant().useNextToken();
		Hold following = newHold(next, hold.grant());
		if (!hold.pass()) {
			return false;
		}
		this.passing.passed(hold);
		enter(next, following);
		return true;
	}

	private @Nullable HandOver startHandingOn(Hold hold) {
		this.lock.lock();
		try {
			Acquisition next = this.callers.peek();
			if (next == null || nextAfter(hold) == Next.RELEASE) {
				return null;
			}
			HandOver handOver = new HandOver(hold, next, this.claimant.claim());
			this.asking = handOver;
			this.claimant.begin();
			hold.takeClaim();
			return handOver;
		}
		finally {
			this.lock.unlock();
		}
	}

	private ReleaseResult handOn(HandOver next) {
		Claim request = next.to().request(next.claim(), this.claimant.place(next.to()));
		long sentAt = this.access.runtime().nanos();
		Transfer outcome = this.claimant.transfer(next.from().grant(), next.claim(), request);
		this.lock.lock();
		try {
			boolean counts = handedOn(next, outcome, sentAt, request.lease());
			if (outcome instanceof NotHeld) {
				return (counts && !this.retired) ? ReleaseResult.LOST : ReleaseResult.PENDING;
			}
			return ReleaseResult.RELEASED;
		}
		finally {
			this.lock.unlock();
		}
	}

	// If all callers have left meanwhile, the claim was given up. If the lease has run
	// out, others already ask, and find out themselves
	private boolean handedOn(HandOver next, Transfer outcome, long sentAt, Duration lease) {
		if (this.asking != next) {
			next.claim().doubt();
			return false;
		}
		this.inside = null;
		this.claimant.transferred(outcome, sentAt, lease);
		return true;
	}

	// The claim goes with the hold that was downgraded
	@Override
	public void detach(Hold hold) {
		end(hold, true);
	}

	@Override
	public void end(Hold hold) {
		end(hold, false);
	}

	// Waiters ask under a new claim, unless the grant was handed on
	private void end(Hold hold, boolean shared) {
		this.lock.lock();
		try {
			OwnClaim ended = shared ? null : hold.takeClaim();
			boolean wasInside = this.inside == hold;
			boolean wasHandedOn = this.asking instanceof HandOver handOver && handOver.from() == hold;
			if (wasInside) {
				this.inside = null;
				this.claimant.wakeUp();
			}
			if (wasHandedOn) {
				this.asking = null;
			}
			if (wasInside && (shared || ended != null)) {
				this.claimant.changeClaim();
			}
			if (ended != null) {
				ended.giveUp(this.access.cleanup(), null);
			}
			if (wasInside || wasHandedOn) {
				wake(nextCaller());
				retireIfUnused();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	// All callers may have left, and given up the claim, while the grant was handed on
	private void giveUpIfLeft(OwnClaim handedOn) {
		this.lock.lock();
		try {
			if (this.retired) {
				giveUp();
			}
			if (handedOn != this.claimant.claim()) {
				handedOn.giveUp(this.access.cleanup(), null);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void leave(Acquisition caller) {
		if (caller.hasHold() && this.asking != caller) {
			return;
		}
		this.lock.lock();
		try {
			if (this.callers.remove(caller)) {
				wake(nextCaller());
			}
			endAsking(caller);
		}
		finally {
			this.lock.unlock();
		}
	}

	// In one step: a caller that comes next finds nothing in its way but what is to be
	// cleaned up. A hand-over to a caller that has left is not waited for
	private void retireIfUnused() {
		boolean isLeft = this.asking instanceof HandOver handOver && handOver.from() == this.inside;
		boolean isUsed = (this.asking != null || this.inside != null) && !isLeft;
		if (!this.retired && !isUsed && this.callers.isEmpty()) {
			this.retired = true;
			giveUp();
		}
	}

	private void giveUp() {
		this.claimant.giveUp();
		QueuePlace place = this.claimant.place();
		if (this.key != null) {
			this.lines.remove(this.key, this);
		}
		else if (place != null) {
			this.lines.expectNoWakeUps(place);
		}
	}

	void wanted(boolean next) {
		this.lock.lock();
		try {
			this.passing.wanted(next);
		}
		finally {
			this.lock.unlock();
		}
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
		Acquisition next;
		this.lock.lock();
		try {
			this.claimant.wakeUp();
			next = nextCaller();
		}
		finally {
			this.lock.unlock();
		}
		wake(next); // it needs the line's lock at once
	}

	private static void wake(@Nullable Acquisition caller) {
		if (caller != null) {
			caller.wake();
		}
	}

	@Nullable String holder() {
		return this.claimant.holder();
	}

	int permitsTaken() {
		return this.claimant.permitsTaken();
	}

	/**
	 * Stable across runs, so that iteration has the same order.
	 */
	@Override
	public int hashCode() {
		return Objects.hashCode(this.key);
	}

	private record HandOver(Hold from, Acquisition to, OwnClaim claim) {
	}

}
