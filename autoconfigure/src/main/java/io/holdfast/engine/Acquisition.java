package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way to a lock that it does not hold yet: it waits for its turn among the
 * callers of this instance, then {@linkplain Competition competes} with other instances.
 *
 * <p>
 * Never waits itself, except for the store's answers: {@link #proceed()} goes as far as
 * it can and returns what to wait for before it is called again. Used by one thread at a
 * time, though not always the same.
 */
final class Acquisition {

	private final Engine engine;

	private final Claimant claimant;

	private final Patience patience;

	private final Sleeper sleeper;

	private final StoreAttempts attempts;

	private boolean begun;

	private boolean waiting;

	private volatile @Nullable Turn inLine;

	private volatile @Nullable Competition competition;

	private @Nullable String holder;

	/**
	 * Create an acquisition that begins with the first {@link #proceed()}.
	 * @param sleeper who is woken when a pause may be over
	 */
	Acquisition(Engine engine, Terms terms, Owner owner, Patience patience, Sleeper sleeper) {
		this.engine = engine;
		this.patience = patience;
		this.sleeper = sleeper;
		long number = engine.nextClaim();
		this.claimant = new Claimant(terms, owner, number, engine.holds().isHolder(owner),
				patience.isOneTry() ? null : new QueuePlace(placeId(terms, owner, number), engine.pace().placeKept()));
		this.attempts = new StoreAttempts(engine, this.claimant, patience);
	}

	/**
	 * Return a name for a place in queues that no other wait ever has.
	 */
	private static String placeId(Terms terms, Owner owner, long number) {
		boolean several = terms.fair() && terms.keys().size() > 1;
		return new PlaceName(owner.id(), number, several, terms.mode()).toString();
	}

	/**
	 * Go on until there is something to wait for, or nothing more to do.
	 * @return what to wait for, or {@code null} when it is decided: the lock is held, or
	 * was not acquired in time
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Pause proceed() {
		if (!this.begun) {
			this.begun = true;
			this.engine.overruns().began(this);
		}
		Pause pause = goOn();
		if (pause == null) {
			stopWaiting();
		}
		else if (!this.waiting) {
			this.waiting = true;
			this.engine.waits().add(this);
			this.engine.deadlocks().expect(this);
		}
		return pause;
	}

	private void stopWaiting() {
		if (this.waiting) {
			this.waiting = false;
			this.engine.waits().remove(this);
		}
		if (this.begun) {
			this.begun = false;
			this.engine.overruns().ended(this);
		}
	}

	private @Nullable Pause goOn() {
		Competition present = this.competition;
		if (present != null && present.hasBegun()) {
			return present.goOn();
		}
		return this.claimant.standsInLine() ? standInLine()
				: competition(this.engine.loneWaiters().enter(this.claimant, this.sleeper)).begin();
	}

	private @Nullable Pause standInLine() {
		while (true) {
			Turn turn = (this.inLine != null) ? this.inLine : getInLine();
			if (!turn.isDecided() && !this.patience.isOver()) {
				this.engine.ensureMayWait();
				return this.patience.until(turn::isDecided);
			}
			if (!turn.leave()) {
				return competition(turn).begin();
			}
			this.inLine = null;
			this.competition = null;
			this.holder = turn.sight().holder();
			if (this.patience.isOver()) {
				this.attempts.throwIfUnavailable(turn.sight());
				return null;
			}
		}
	}

	private Turn getInLine() {
		this.engine.ensureOpen();
		Turn turn = this.engine.queues().enter(this.claimant, this.sleeper);
		this.inLine = turn;
		competition(turn);
		return turn;
	}

	private Competition competition(Waiter waiter) {
		Competition present = this.competition;
		if (present == null) {
			present = new Competition(this.engine, this.claimant, this.patience, this.attempts, waiter);
			this.competition = present;
		}
		return present;
	}

	/**
	 * Take the hold, once that is decided.
	 * @return the hold, or {@code null} when there is none
	 */
	@Nullable Hold takeHold() {
		return (this.competition != null) ? this.competition.takeHold() : null;
	}

	/**
	 * Return who held the lock when it was last looked at, or {@code null} when that is
	 * not known.
	 */
	@Nullable String holder() {
		return (this.competition != null) ? this.competition.holder() : this.holder;
	}

	Claimant claimant() {
		return this.claimant;
	}

	/**
	 * Have it look again how long to wait. For any thread.
	 */
	void wake() {
		this.sleeper.wake();
	}

	Duration waited() {
		return this.patience.waited();
	}

	boolean isForOneOf(List<String> keys) {
		return !Collections.disjoint(this.claimant.keys(), keys);
	}

	/**
	 * Return what is seen of it while it waits. For any thread.
	 */
	LockWait snapshot() {
		Terms terms = this.claimant.terms();
		Duration waited = this.patience.waited();
		return new LockWait(terms.keys(), terms.name(), terms.mode(), this.claimant.owner().id(),
				this.claimant.owner().threadName(), Instant.now().minus(waited), waited, holderSeen());
	}

	private @Nullable String holderSeen() {
		Turn turn = this.inLine;
		return (turn != null) ? turn.sight().holder() : holder();
	}

	/**
	 * Where many are looked at, the order is the same for the same ones.
	 */
	@Override
	public int hashCode() {
		return Long.hashCode(this.claimant.number());
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/**
	 * Leave nothing behind but a hold that was taken, and not even that if this throws.
	 */
	void end(@Nullable Hold taken) {
		try {
			end();
		}
		catch (Throwable ex) {
			if (taken != null) {
				this.engine.keeper().releases().abandon(taken);
			}
			throw ex;
		}
	}

	/**
	 * Leave nothing behind but a hold that was taken.
	 */
	void end() {
		try {
			stopWaiting();
		}
		finally {
			leave();
		}
	}

	private void leave() {
		if (this.inLine != null && this.inLine.leave()) {
			return;
		}
		if (this.competition != null) {
			this.competition.end();
		}
		else if (this.inLine != null) {
			this.inLine.end();
		}
	}

}
