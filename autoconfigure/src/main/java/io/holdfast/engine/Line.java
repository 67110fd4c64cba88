package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Lock;

import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claimant.Question;
import io.holdfast.engine.LineState.Asking;
import io.holdfast.engine.LineState.HandingOn;
import io.holdfast.engine.LineState.Inside;
import io.holdfast.engine.LockStore.Answer;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.Sections.Next;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this instance that want the same lock, in the order in which they came,
 * and the {@linkplain LineState state} of the lock. A caller that asks for a shared or a
 * fair lock, or for several, has a line of its own. {@link Sections} decides how the lock
 * goes on when a section ends.
 *
 * <p>
 * Callers come and go in memory. What the store answers belongs to the line, never to a
 * caller: one that leaves is replaced by the next, who asks under the same claim and
 * finds what was granted to it. Only a line without callers gives its claim up.
 */
final class Line implements Hold.Grantor {

	static final long DECIDED = 0;

	static final long ASK = -1;

	private static final Logger logger = LoggerFactory.getLogger(Line.class);

	private final Lines lines;

	private final EngineRuntime runtime;

	private final Cleanup cleanup;

	// The key of plain callers, who share the line; null in a line of one other caller
	private final @Nullable String key;

	private final Lock lock;

	private final Sections sections;

	private final Claimant claimant;

	private final Queue<Acquisition> callers = new ArrayDeque<>(1);

	private volatile LineState state = LineState.IDLE;

	Line(Lines lines, @Nullable String key, Claimant claimant, Sections sections, Cleanup cleanup,
			EngineRuntime runtime) {
		this.lines = lines;
		this.key = key;
		this.claimant = claimant;
		this.sections = sections;
		this.cleanup = cleanup;
		this.runtime = runtime;
		this.lock = runtime.newLock();
	}

	// A caller that does not wait joins only an empty line; if others wait, the store is
	// asked at once
	boolean join(Acquisition caller) {
		this.lock.lock();
		try {
			if (this.state == LineState.RETIRED) {
				return false;
			}
			this.callers.add(caller);
			if (caller.isOneAttempt() && (this.state.inside() != null || this.callers.peek() != caller)) {
				this.claimant.wakeUp();
				endWait(caller);
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	// What a caller is to do next: to ask, or to wait for so many nanoseconds unless it
	// is
	// woken, or nothing as it is decided
	long next(Acquisition caller) {
		if (caller.isDecided()) {
			return DECIDED;
		}
		this.lock.lock();
		try {
			if (caller.isDecided()) {
				return DECIDED;
			}
			boolean isNext = this.state.isOpen() && this.callers.peek() == caller;
			if (this.claimant.isUnavailable(caller.deadline(), isNext && !caller.hasAsked())) {
				this.claimant.ensureAnswered(caller.terms());
			}
			return isNext ? enterOrAsk(caller) : waitOrEnd(caller, Deadline.NONE);
		}
		finally {
			this.lock.unlock();
		}
	}

	private long enterOrAsk(Acquisition caller) {
		boolean isNew = caller.asksAtOnce(this.claimant.isQueued());
		boolean counts = !caller.isOver() || (isNew && (this.state.grant() == null || caller.isOneAttempt()));
		enterUnlessLate(caller, counts);
		if (caller.isDecided()) {
			return DECIDED;
		}
		boolean interrupted = !caller.isFirstAttempt() && Thread.currentThread().isInterrupted();
		if (counts && !interrupted && (isNew || this.state.grant() != null || this.claimant.isToAsk())) {
			startAsking(caller);
			return ASK;
		}
		return waitOrEnd(caller, this.claimant.untilAttempt());
	}

	private void startAsking(Acquisition caller) {
		OwnGrant transferred = this.state.grant();
		this.state = new Asking(caller, transferred);
		this.claimant.begin(transferred);
		this.sections.asked();
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
		wake(this.callers.peek());
	}

	void ask(Acquisition caller) {
		long begun = this.runtime.nanos();
		boolean first = caller.isFirstAttempt();
		try {
			Question question = question(caller);
			Answer answer = this.claimant.send(question);
			try {
				answered(caller, question, answer, first);
			}
			finally { // also if this is as good as no answer
				if (answer instanceof Incomplete part) {
					this.cleanup.giveBack(part.granted(), question.request().lease());
				}
			}
		}
		catch (LockStoreException ex) {
			notAnswered(caller, ex, Duration.ofNanos(this.runtime.nanos() - begun));
		}
		finally {
			endAsking(caller);
		}
	}

	// A line that is not found by its key is found by its place
	private Question question(Acquisition caller) {
		OwnGrant transferred = this.state.grant();
		if (this.key == null) {
			this.lines.expectWakeUps(this.claimant.place(caller), this);
		}
		if (transferred == null) {
			this.cleanup.settle(caller.terms().keys(), caller.owner().id(), caller.deadline());
			caller.deadline().ensureOpen();
		}
		return this.claimant.question(caller, transferred, this.sections.isOthersTurn(this.claimant.claim()));
	}

	private void answered(Acquisition caller, Question question, Answer answer, boolean first) {
		this.lock.lock();
		try {
			book(question, answer);
			if (question.transferred() == null) {
				caller.answered();
			}
			enterUnlessLate(caller, first);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void book(Question question, Answer answer) {
		OwnGrant granted = this.claimant.answered(question, answer);
		if (answer instanceof Granted grant && grant.othersWait()) {
			this.sections.wanted(false);
		}
		if (granted != null && question.transferred() != null) {
			this.sections.handedOn(question.claim());
		}
		if (granted != null) {
			this.state = new LineState.Granted(granted);
		}
	}

	private void notAnswered(Acquisition caller, LockStoreException failure, Duration after) {
		this.lock.lock();
		try {
			this.claimant.notAnswered(failure);
			caller.notAnswered(failure, after);
		}
		finally {
			this.lock.unlock();
		}
		logger.debug("Could not ask for lock '{}', trying again", LogText.of(caller.terms().text()), failure);
		if (caller.isOver() && !caller.isFirstAttempt()) {
			throw Outage.unavailable(caller.terms().text(), failure);
		}
	}

	private void endAsking(Acquisition caller) {
		this.lock.lock();
		try {
			stopAsking(caller);
		}
		finally {
			this.lock.unlock();
		}
	}

	// One that waits for a section of this line is woken when that ends
	private void stopAsking(Acquisition caller) {
		if (this.state.isAskingFor(caller)) {
			this.state = LineState.IDLE;
		}
		if (this.state.inside() == null) {
			wake(this.callers.peek());
		}
		retireIfLeft();
	}

	// A first attempt counts however long it took
	private void enterUnlessLate(Acquisition caller, boolean counts) {
		OwnGrant grant = (this.state instanceof LineState.Granted granted) ? granted.grant() : null;
		if (grant == null || (!counts && caller.isOver()) || !isFor(caller, grant)) {
			return;
		}
		if (grant.lease().isOver()) {
			this.state = LineState.IDLE;
			this.claimant.giveBackLate(grant);
		}
		else {
			enter(caller, newInside(caller, grant));
		}
	}

	// A grant for another caller or lease, or one that a caller has held before, must be
	// transferred first, since each has its own token
	private boolean isFor(Acquisition caller, OwnGrant grant) {
		return caller.owner().id().equals(grant.id().owner()) && caller.terms().lease().equals(grant.lasts())
				&& this.claimant.claim().mayUse(grant.token());
	}

	// Made first: from the decision on, nothing may fail
	private Inside newInside(Acquisition caller, OwnGrant grant) {
		return new Inside(new Hold(grant, caller.terms(), caller.owner(), caller.context(), this, this.claimant.claim(),
				this.runtime));
	}

	private void enter(Acquisition caller, Inside inside) {
		this.callers.remove(caller); // first, as one that has a hold need not leave
		caller.decide(inside.inside());
		this.state = inside;
		this.claimant.claim().useToken(inside.inside().grant().token());
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
		HandingOn handingOn = startHandingOn(hold);
		return (handingOn != null) ? handOn(handingOn) : this.claimant.release(hold);
	}

	private Next nextAfter(Hold hold) {
		return (this.state instanceof Inside && this.state.inside() == hold)
				? this.sections.next(hold, this.callers.peek(), this.claimant.claim()) : Next.RELEASE;
	}

	// Does not ask the store
	private boolean pass(Hold hold) {
		Acquisition entering = null;
		this.lock.lock();
		try {
			entering = (nextAfter(hold) == Next.PASS) ? this.callers.peek() : null;
			return entering != null && pass(hold, entering);
		}
		finally {
			this.lock.unlock();
			wake(entering);
		}
	}

	private boolean pass(Hold hold, Acquisition next) {
		hold.grant().useNextToken();
		Inside following = newInside(next, hold.grant());
		if (!hold.pass()) {
			return false;
		}
		this.sections.handedOn(this.claimant.claim());
		enter(next, following);
		return true;
	}

	private @Nullable HandingOn startHandingOn(Hold hold) {
		this.lock.lock();
		try {
			Acquisition next = this.callers.peek();
			if (next == null || nextAfter(hold) == Next.RELEASE) {
				return null;
			}
			this.claimant.begin(null);
			this.sections.asked();
			boolean yield = this.sections.isOthersTurn(this.claimant.claim());
			HandingOn handingOn = new HandingOn(hold, this.claimant.question(next, hold.grant(), yield));
			this.state = handingOn;
			hold.takeClaim();
			return handingOn;
		}
		finally {
			this.lock.unlock();
		}
	}

	private ReleaseResult handOn(HandingOn handingOn) {
		try {
			return handedOn(handingOn, this.claimant.send(handingOn.question()));
		}
		finally {
			end(handingOn.inside());
			giveUpIfLeft(handingOn.question().claim());
		}
	}

	// If all callers have left meanwhile, the claim was given up. If the lease has run
	// out, others already ask, and find out themselves
	private ReleaseResult handedOn(HandingOn handingOn, Answer answer) {
		this.lock.lock();
		try {
			boolean counts = this.state == handingOn;
			if (counts) {
				book(handingOn.question(), answer);
				if (this.state == handingOn) {
					this.state = LineState.IDLE;
				}
				wake(this.callers.peek());
				retireIfLeft();
			}
			else {
				handingOn.question().claim().doubt();
			}
			if (answer instanceof NotHeld) {
				return counts ? ReleaseResult.LOST : ReleaseResult.PENDING;
			}
			return ReleaseResult.RELEASED;
		}
		finally {
			this.lock.unlock();
		}
	}

	// All callers may have left, and given up the claim, while the grant was handed on
	private void giveUpIfLeft(OwnClaim handedOn) {
		this.lock.lock();
		try {
			if (this.state == LineState.RETIRED) {
				this.claimant.giveUp(null);
			}
			if (handedOn != this.claimant.claim()) {
				handedOn.giveUp(this.cleanup, null);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	// The claim goes with the hold that was downgraded
	@Override
	public void detach(Hold hold) {
		this.lock.lock();
		try {
			if (this.state.inside() == hold) {
				this.claimant.changeClaim();
				free();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	// Waiters ask under a new claim, unless the grant was handed on. A hold that the line
	// has gone on from has no claim any more
	@Override
	public void end(Hold hold) {
		if (this.state.inside() != hold && !hold.hasClaim()) {
			return;
		}
		this.lock.lock();
		try {
			OwnClaim ended = hold.takeClaim();
			boolean wasInside = this.state.inside() == hold;
			if (ended != null && wasInside) {
				this.claimant.changeClaim();
			}
			if (ended != null) {
				ended.giveUp(this.cleanup, null);
			}
			if (wasInside) {
				free();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void free() {
		this.state = LineState.IDLE;
		this.claimant.wakeUp();
		wake(this.callers.peek());
		retireIfLeft();
	}

	void leave(Acquisition caller) {
		if (caller.hasHold() && !this.state.isAskingFor(caller)) {
			return;
		}
		this.lock.lock();
		try {
			this.callers.remove(caller);
			stopAsking(caller);
		}
		finally {
			this.lock.unlock();
		}
	}

	// In one step: a caller that comes next finds nothing in its way but what is to be
	// cleaned up
	private void retireIfLeft() {
		if (!this.state.isLeft() || !this.callers.isEmpty()) {
			return;
		}
		OwnGrant unused = this.state.grant();
		this.state = LineState.RETIRED;
		this.claimant.giveUp(unused);
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
			this.sections.wanted(next);
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
			next = this.callers.peek();
		}
		finally {
			this.lock.unlock();
		}
		wake(next); // which takes the lock at once
	}

	private static void wake(@Nullable Acquisition caller) {
		if (caller != null) {
			caller.wake();
		}
	}

	@Nullable String holder() {
		Hold inside = this.state.inside();
		Denied denied = this.claimant.denied();
		return (inside != null) ? inside.owner().id() : (denied != null) ? denied.holder() : null;
	}

	int permitsTaken() {
		Denied denied = this.claimant.denied();
		return (denied != null) ? denied.permitsTaken() : 0;
	}

}
