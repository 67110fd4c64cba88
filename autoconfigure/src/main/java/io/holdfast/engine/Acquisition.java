package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.EngineListener.LockWait;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One caller's attempt to get a lock that it does not hold yet, through a {@link Line}.
 *
 * <p>
 * {@link #next()} says what to do before it is called again: ask the store, or wait. Used
 * by one thread at a time, not always the same.
 */
final class Acquisition {

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	private enum Phase {

		NEW, ASKING, WAITING, WAITING_LONG, ENDED

	}

	// A first attempt that fails at once is made again
	private enum Attempts {

		NONE, FAILED_AT_ONCE, MADE

	}

	private final Lines lines;

	private final Holds holds;

	private final Releases releases;

	private final Terms terms;

	private final Owner owner;

	private final Deadline deadline;

	private final Sleeper sleeper;

	private final RequestContext context;

	private volatile @Nullable Line line;

	private Phase phase = Phase.NEW;

	private Attempts attempts = Attempts.NONE;

	private boolean taken;

	private volatile boolean decided;

	private volatile @Nullable Hold hold;

	// Called on the caller's thread, whose context it captures
	Acquisition(Lines lines, Holds holds, Releases releases, Terms terms, Owner owner, Deadline deadline,
			Sleeper sleeper) {
		this.lines = lines;
		this.holds = holds;
		this.releases = releases;
		this.terms = terms;
		this.owner = owner;
		this.deadline = deadline;
		this.sleeper = sleeper;
		this.context = lines.newContext();
	}

	// Returns null if it was not acquired in time
	@Nullable Hold acquire(CallingThread caller) {
		boolean interruptedBefore = Thread.currentThread().isInterrupted();
		try {
			if (!isOneAttempt()) {
				caller.checkInterrupt();
			}
			for (long next = next(); next != Line.DECIDED; next = next()) {
				if (next == Line.ASK) {
					line().ask(this);
				}
				else {
					caller.sleep(next);
				}
			}
			return takeHold();
		}
		catch (LockUnavailableException ex) {
			if (!interruptedBefore) {
				caller.checkInterrupt();
			}
			throw ex;
		}
		finally {
			end();
		}
	}

	Line line() {
		Line present = this.line;
		if (present == null) {
			begin();
			present = this.lines.join(this);
			this.line = present;
		}
		return present;
	}

	// ASK, or how many nanoseconds to wait unless woken, or DECIDED if the lock is held
	// or was not acquired in time
	long next() {
		Line present = line();
		long next = present.next(this);
		if (isWait(next) && this.phase == Phase.ASKING) {
			startWaiting();
			next = present.next(this); // the lock may have come meanwhile
		}
		if (next == Line.DECIDED) {
			stopWaiting();
		}
		return isWait(next) ? untilWarned(next) : next;
	}

	private static boolean isWait(long next) {
		return next != Line.ASK && next != Line.DECIDED;
	}

	private void startWaiting() {
		this.phase = Phase.WAITING;
		this.lines.startWaiting(this);
	}

	// Ends a wait when it is long enough for a warning, once
	private long untilWarned(long nanos) {
		Duration limit = this.lines.warnWait();
		if (limit == null || this.phase != Phase.WAITING) {
			return nanos;
		}
		long left = MonotonicClock.toNanos(limit.minus(this.deadline.waited()));
		if (left <= 0) {
			this.phase = Phase.WAITING_LONG;
			LockWait wait = snapshot();
			this.lines.tellAside(() -> warn(wait));
		}
		return (left > 0) ? Math.min(nanos, left) : nanos;
	}

	private void warn(LockWait wait) {
		String key = LogText.keys(wait.keys());
		String holder = Objects.requireNonNullElse(wait.holderName(), "unknown");
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", wait.owner())
			.addKeyValue("thread", wait.threadName())
			.addKeyValue("waitedMs", wait.waited().toMillis())
			.addKeyValue("holder", Objects.requireNonNullElse(wait.holder(), "unknown"))
			.log("Long wait for lock '{}' by {} ({}): {} ms so far, holder last seen: {}", LogText.of(key),
					LogText.of(this.owner.describe(null)), wait.owner(), wait.waited().toMillis(), LogText.of(holder));
	}

	// Called on the caller's thread, before any other one may proceed
	void begin() {
		if (this.phase == Phase.NEW) {
			this.phase = Phase.ASKING;
			this.lines.asked(this);
		}
	}

	private void stopWaiting() {
		if (this.phase == Phase.WAITING || this.phase == Phase.WAITING_LONG) {
			this.lines.stopWaiting(this);
		}
		this.phase = Phase.ENDED;
	}

	@Nullable Hold takeHold() {
		this.taken = true;
		return this.hold;
	}

	// Leave nothing behind but a hold that was taken
	void end() {
		stopWaiting();
		Line present = this.line;
		if (present != null) {
			present.leave(this);
		}
		Hold acquired = this.hold; // until it has left, others may let it in
		if (acquired != null && !this.taken) {
			this.releases.abandon(acquired);
		}
	}

	void decide(@Nullable Hold acquired) {
		this.hold = acquired;
		this.decided = true;
	}

	boolean isDecided() {
		return this.decided;
	}

	boolean hasHold() {
		return this.hold != null;
	}

	Terms terms() {
		return this.terms;
	}

	RequestContext context() {
		return this.context;
	}

	Owner owner() {
		return this.owner;
	}

	Deadline deadline() {
		return this.deadline;
	}

	boolean isOneAttempt() {
		return this.deadline.isOneAttempt();
	}

	boolean isOver() {
		return this.deadline.isOver();
	}

	// A grant for another caller or lease must be transferred first
	boolean mayEnter(OwnGrant grant) {
		return this.owner.id().equals(grant.id().owner()) && this.terms.lease().equals(grant.lasts());
	}

	void answered() {
		this.attempts = Attempts.MADE;
	}

	// An interrupt of a caller that must not be interrupted is no attempt
	void notAnswered(LockStoreException failure, Duration after) {
		if (Outage.isInterrupt(failure) && this.sleeper.putOffInterrupt()) {
			return;
		}
		boolean again = !hasAsked() && Outage.mayRetryAtOnce(failure, after);
		this.attempts = again ? Attempts.FAILED_AT_ONCE : Attempts.MADE;
	}

	boolean hasAsked() {
		return this.attempts != Attempts.NONE;
	}

	// A first attempt counts however late it is answered
	boolean isFirstAttempt() {
		return this.attempts != Attempts.MADE;
	}

	// A first attempt asks at once, unless the line is in the queue already; a repeated
	// one and a single try even then
	boolean asksAtOnce(boolean queued) {
		return isFirstAttempt() && (hasAsked() || !queued || isOneAttempt());
	}

	void wake() {
		this.sleeper.wake();
	}

	boolean isForOneOf(List<String> keys) {
		return !Collections.disjoint(this.terms.keys(), keys);
	}

	LockWait snapshot() {
		Duration waited = this.deadline.waited();
		Line present = this.line;
		int taken = (present != null) ? present.permitsTaken() : 0;
		String holder = (present != null && taken == 0) ? present.holder() : null;
		// What the owner has lost is being released
		holder = this.owner.id().equals(holder) ? null : holder;
		return new LockWait(this.terms.keys(), this.terms.name(), this.terms.mode(), this.owner.id(),
				this.owner.threadName(), Instant.now().minus(waited), waited, holder, inTheWay(holder, taken));
	}

	private @Nullable String inTheWay(@Nullable String holder, int taken) {
		if (holder != null) {
			return this.holds.nameOf(holder, this.terms.keys(), this.owner);
		}
		if (taken > 0) {
			return "%d of %d permits are taken".formatted(taken, this.terms.permits());
		}
		return hasAsked() ? null : "another caller of this instance asks for it";
	}

}
