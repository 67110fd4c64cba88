package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each hold when it is time to renew it, and notices when its lease has run out.
 * Never waits for the store: what is to be renewed goes to the {@link Renewer}, and is
 * looked at again a little later in case nothing comes of that.
 */
final class Watchdog {

	/**
	 * The part of a lease that passes at least between two looks, also when a renewal had
	 * no answer.
	 */
	private static final int RETRY_DIVISOR = 10;

	/**
	 * The part of a lease by which renewals are put off, so that more are made at once.
	 */
	private static final int WINDOW_DIVISOR = 30;

	private final Losses losses;

	private final Background background;

	private final EngineRuntime runtime;

	private final Renewer renewer;

	Watchdog(LockStore store, Losses losses, Holds holds, RenewalTrouble trouble, Background background) {
		this.losses = losses;
		this.background = background;
		this.runtime = background.runtime();
		this.renewer = new Renewer(store, losses, holds, this, trouble, background);
	}

	/**
	 * Look after a hold: while two thirds of the lease that is wanted are left, or now.
	 * @return whether there is a thread that does
	 */
	boolean watch(Hold hold) {
		return watchFrom(hold, this.runtime.nanos());
	}

	/**
	 * Look after a hold that has been looked at just now.
	 */
	void watchAgain(Hold hold) {
		watchFrom(hold, nextLook(hold));
	}

	/**
	 * Look after a hold that could not be renewed.
	 */
	void watchAfterFailure(Hold hold) {
		watchUntil(hold, nextLook(hold));
	}

	private boolean watchFrom(Hold hold, long earliest) {
		long lease = leaseNanos(hold);
		long due = MonotonicClock.later(earliest, hold.lease().deadline() - 2 * (lease / 3));
		return watchUntil(hold, due + Math.floorMod(-due, lease / WINDOW_DIVISOR + 1));
	}

	private long nextLook(Hold hold) {
		return this.runtime.nanos() + leaseNanos(hold) / RETRY_DIVISOR;
	}

	private static long leaseNanos(Hold hold) {
		Duration wanted = hold.wantedLease();
		return MonotonicClock.toNanos((wanted != null) ? wanted : hold.terms().lease());
	}

	/**
	 * Look at a hold at a time, or at the end of its lease if that is earlier.
	 */
	private boolean watchUntil(Hold hold, long due) {
		Background.Task task = hold.watch();
		if (task == null) {
			task = new Background.Task(() -> look(hold));
			hold.watch(task);
		}
		return this.background.scheduleAt(task, MonotonicClock.earlier(due, hold.lease().deadline()));
	}

	/**
	 * Stop looking after a hold.
	 */
	void forget(Hold hold) {
		Background.Task task = hold.watch();
		if (task != null) {
			this.background.cancel(task);
		}
	}

	/**
	 * Return when a renewal last went through, or {@code null} when none has yet.
	 */
	@Nullable Instant lastRenewal() {
		return this.renewer.lastRenewal();
	}

	RenewalCounts renewals() {
		return this.renewer.counts();
	}

	/**
	 * A hold that is not to be renewed is only asked for, and only if somebody waits for
	 * its end: it may have been taken away in the store. A release that an error has
	 * ended is made up for.
	 */
	private void look(Hold hold) {
		hold.givenUp().forEach(HoldHandle::releaseInBackground);
		if (this.losses.checkLease(hold) != null || !hold.isOpen()) {
			finish(hold);
			return;
		}
		if (hold.wantedLease() != null || hold.line().isWaitedFor()) {
			watchAfterFailure(hold);
			this.renewer.renew(hold);
		}
		else {
			watchAgain(hold);
		}
	}

	/**
	 * A release that takes so long may be one that an error has ended.
	 */
	private void finish(Hold hold) {
		if (hold.loss() != null || hold.lease().isOver()) {
			this.losses.forget(hold);
		}
		else {
			watchUntil(hold, hold.lease().deadline());
		}
	}

}
