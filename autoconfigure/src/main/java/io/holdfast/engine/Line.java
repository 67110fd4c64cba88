package io.holdfast.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.Claimant.Question;
import io.holdfast.engine.LineState.Asking;
import io.holdfast.engine.LineState.HandingOn;
import io.holdfast.engine.LineState.Inside;
import io.holdfast.engine.LockStore.Answer;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.NotHeld;
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

	private final String name;

	private final Map<String, Line> listed;

	private final EngineRuntime runtime;

	private final Lock lock;

	private final Sections sections;

	private final Claimant claimant;

	private final Queue<Acquisition> callers = new ConcurrentLinkedQueue<>();

	private volatile LineState state = LineState.IDLE;

	Line(String name, Map<String, Line> listed, Claimant claimant, Sections sections, EngineRuntime runtime) {
		this.name = name;
		this.listed = listed;
		this.claimant = claimant;
		this.sections = sections;
		this.runtime = runtime;
		this.lock = runtime.newLock();
	}

	// A single try joins only an empty line. If others are there, the first one asks at
	// once, in case it has missed a message
	boolean join(Acquisition caller) {
		this.lock.lock();
		try {
			if (this.state == LineState.RETIRED) {
				return false;
			}
			this.callers.add(caller);
			if (caller.isOneAttempt() && (this.state.hold() != null || this.callers.peek() != caller)) {
				this.claimant.wakeUp();
				endWait(caller);
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	// Returns ASK, DECIDED, or for how many nanoseconds the caller is to wait unless it
	// is woken
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
		boolean asksNow = caller.asksAtOnce(this.claimant.isQueued());
		// When its time is over, only a first attempt still counts, and a transfer to it
		// only if it is a single try
		boolean counts = !caller.isOver() || (asksNow && (this.state.grant() == null || caller.isOneAttempt()));
		enterUnlessLate(caller, counts);
		if (caller.isDecided()) {
			return DECIDED;
		}
		boolean interrupted = !caller.isFirstAttempt() && Thread.currentThread().isInterrupted();
		if (counts && !interrupted && (asksNow || this.state.grant() != null || this.claimant.shouldAsk())) {
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

	// A caller that fails in another way leaves
	void ask(Acquisition caller) {
		long begun = this.runtime.nanos();
		boolean first = caller.isFirstAttempt();
		try {
			OwnGrant transferred = this.state.grant();
			if (transferred == null) {
				this.claimant.settle(caller);
			}
			Question question = this.claimant.question(caller, transferred, isOthersTurn());
			Answer answer = this.claimant.send(question);
			try {
				answered(caller, question, answer, first);
			}
			finally {
				this.claimant.giveBackPart(question, answer);
			}
		}
		catch (LockStoreException ex) {
			notAnswered(caller, ex, Duration.ofNanos(this.runtime.nanos() - begun));
		}
	}

	private boolean isOthersTurn() {
		return this.sections.isOthersTurn(this.claimant.claim());
	}

	private void answered(Acquisition caller, Question question, Answer answer, boolean first) {
		this.lock.lock();
		try {
			book(question, answer);
			if (question.transferred() == null) {
				caller.answered();
			}
			enterUnlessLate(caller, first);
			goOn(this.state.isAskingFor(caller));
		}
		finally {
			this.lock.unlock();
		}
	}

	private void book(Question question, Answer answer) {
		OwnGrant granted = this.claimant.answered(question, answer);
		this.sections.answered(question, answer, granted);
		if (granted != null) {
			this.state = new LineState.Granted(granted);
			question.claim().answered();
		}
	}

	private void notAnswered(Acquisition caller, LockStoreException failure, Duration after) {
		this.lock.lock();
		try {
			this.claimant.notAnswered(failure);
			caller.notAnswered(failure, after);
			goOn(this.state.isAskingFor(caller));
		}
		finally {
			this.lock.unlock();
		}
		logger.debug("Could not ask for lock '{}', trying again", LogText.of(caller.terms().keysText()), failure);
		if (caller.isOver() && !caller.isFirstAttempt()) {
			throw Outage.unavailable(caller.terms().keysText(), failure);
		}
	}

	// While a caller is inside, the next one is not woken
	private void goOn(boolean becomesIdle) {
		if (becomesIdle) {
			this.state = LineState.IDLE;
		}
		if (this.state.hold() == null) {
			wake(this.callers.peek());
		}
		retireIfLeft();
	}

	// A first attempt counts however long it took. A grant that a caller has held before
	// must be transferred first, since each hold has its own token
	private void enterUnlessLate(Acquisition caller, boolean counts) {
		OwnGrant grant = (this.state instanceof LineState.Granted granted) ? granted.grant() : null;
		boolean late = !counts && caller.isOver();
		if (grant == null || late || !caller.mayEnter(grant) || !this.claimant.claim().mayUse(grant.token())) {
			return;
		}
		if (grant.lease().isOver()) {
			this.state = LineState.IDLE;
			this.claimant.giveBackLate();
		}
		else {
			enter(caller, newInside(caller, grant));
		}
	}

	// Made first: from the decision on, nothing may fail
	private Inside newInside(Acquisition caller, OwnGrant grant) {
		return new Inside(new Hold(grant, caller.terms(), caller.owner(), caller.context(), this, this.claimant.claim(),
				this.runtime));
	}

	private void enter(Acquisition caller, Inside inside) {
		this.callers.remove(caller); // first, as one that has a hold need not leave
		caller.decide(inside.hold());
		this.state = inside;
		this.claimant.claim().useToken(inside.hold().grant().token());
	}

	/**
	 * End the hold inside: the lock goes to the next caller in the same step, except that
	 * another instance has its turn now and then. If no caller waits, it is released.
	 * @return whether it was held until now; pending if its claim was given up meanwhile,
	 * which may have taken it away
	 */
	@Override
	public ReleaseResult release(Hold hold, Supplier<ReleaseResult> releaseInStore) {
		if (pass(hold)) {
			return ReleaseResult.RELEASED;
		}
		HandingOn handingOn = startHandingOn(hold);
		try {
			return (handingOn != null) ? handedOn(handingOn, this.claimant.send(handingOn.question()))
					: releaseInStore.get();
		}
		finally {
			end(hold, (handingOn != null) ? handingOn.question().claim() : null);
		}
	}

	private Next nextAfter(Hold hold) {
		return (this.state instanceof Inside && this.state.hold() == hold)
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
			Question question = this.claimant.question(next, hold.grant(), isOthersTurn());
			HandingOn handingOn = new HandingOn(hold, question);
			this.state = handingOn;
			hold.takeClaim();
			return handingOn;
		}
		finally {
			this.lock.unlock();
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
				goOn(this.state == handingOn);
			}
			else {
				handingOn.question().claim().doubt();
				handingOn.question().claim().answered();
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

	// The claim goes with the hold that was downgraded
	@Override
	public void detach(Hold hold) {
		this.lock.lock();
		try {
			free(hold, true);
		}
		finally {
			this.lock.unlock();
		}
	}

	// After a release, the line has gone on already
	@Override
	public void end(Hold hold) {
		if (hold.hasClaim() || this.state.hold() == hold) {
			end(hold, null);
		}
	}

	// Waiters ask under a new claim, unless the grant was handed on. All callers may have
	// left, and given up the claim, while that was done
	private void end(Hold hold, @Nullable OwnClaim handedOn) {
		this.lock.lock();
		try {
			OwnClaim ended = hold.takeClaim();
			free(hold, ended != null);
			if (handedOn != null && this.state == LineState.RETIRED) {
				this.claimant.giveUp(false);
			}
			this.claimant.giveUpFormer((ended != null) ? ended : handedOn);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void free(Hold hold, boolean changesClaim) {
		if (this.state.hold() != hold) {
			return;
		}
		if (changesClaim) {
			this.claimant.endClaim();
		}
		this.claimant.wakeUp();
		goOn(true);
	}

	void leave(Acquisition caller) {
		if (caller.hasHold() && !this.state.isAskingFor(caller)) {
			return;
		}
		this.lock.lock();
		try {
			this.callers.remove(caller);
			goOn(this.state.isAskingFor(caller));
		}
		finally {
			this.lock.unlock();
		}
	}

	// In one step: a caller that comes next finds in its way only what is to be cleaned
	// up
	private void retireIfLeft() {
		if (this.callers.isEmpty() && this.state.mayRetire()) {
			boolean granted = this.state.grant() != null;
			this.state = LineState.RETIRED;
			this.claimant.giveUp(granted);
			this.listed.remove(this.name, this);
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
		return !this.callers.isEmpty();
	}

	void wakeUp() {
		this.lock.lock();
		try {
			this.claimant.wakeUp();
			wake(this.callers.peek());
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void wake(@Nullable Acquisition caller) {
		if (caller != null) {
			caller.wake();
		}
	}

	@Nullable String holder() {
		Hold inside = this.state.hold();
		Denied denied = this.claimant.denied();
		return (inside != null) ? inside.owner().id() : (denied != null) ? denied.holder() : null;
	}

	int permitsTaken() {
		Denied denied = this.claimant.denied();
		return (denied != null) ? denied.permitsTaken() : 0;
	}

}
