package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.Tally;
import io.holdfast.engine.store.LockStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up the acquisitions that make up a hold, and with the last one the hold. All is
 * done with the hold's count locked.
 */
final class Releases {

	private static final Logger logger = LoggerFactory.getLogger(Releases.class);

	private final LockStore store;

	private final Losses losses;

	private final Cleanup cleanup;

	private final Watchdog watchdog;

	private final Housekeeper housekeeper;

	private final Listeners listeners;

	private final Tally underWay;

	Releases(LockStore store, Losses losses, Cleanup cleanup, Watchdog watchdog, Housekeeper housekeeper,
			Listeners listeners, EngineRuntime runtime) {
		this.store = store;
		this.losses = losses;
		this.cleanup = cleanup;
		this.watchdog = watchdog;
		this.housekeeper = housekeeper;
		this.listeners = listeners;
		this.underWay = new Tally(runtime);
	}

	/**
	 * Give up an acquisition.
	 */
	ReleaseResult release(Hold hold, HoldHandle handle) {
		return release(hold, handle, false);
	}

	/**
	 * Give up an acquisition without waiting for the store, which is told in the
	 * background.
	 */
	ReleaseResult releaseAside(Hold hold, HoldHandle handle) {
		return release(hold, handle, true);
	}

	/**
	 * Make an attempt at something about keys now, and again in the background until it
	 * succeeds.
	 */
	void untilDone(List<String> keys, BooleanSupplier attempt) {
		if (!attempt.getAsBoolean()) {
			inBackground(keys, attempt);
		}
	}

	/**
	 * Attempt something about keys in the background until it succeeds.
	 */
	void inBackground(List<String> keys, BooleanSupplier attempt) {
		this.housekeeper.repeat(keys, attempt);
	}

	/**
	 * Wait until no release is under way.
	 */
	void awaitNone(Duration atMost) {
		this.underWay.awaitNone(atMost);
	}

	/**
	 * Have the store told, in the background, that a hold has ended that was lost.
	 */
	void clear(Hold hold) {
		this.cleanup.clear(hold);
	}

	/**
	 * End a hold that could not be handed to its caller.
	 */
	void abandon(Hold hold) {
		try {
			if (hold.abandon()) {
				this.cleanup.giveBack(hold.id(), hold.terms().lease());
			}
		}
		finally {
			forget(hold);
		}
	}

	/**
	 * Whatever is thrown, as long as there is some stack left, the acquisition is given
	 * up. The handle is closed at the end, so that it is told a loss that is found on the
	 * way.
	 */
	private ReleaseResult release(Hold hold, HoldHandle handle, boolean aside) {
		try {
			return (hold.countLeft() > 0) ? reduce(hold, handle, aside) : end(hold, aside);
		}
		finally {
			hold.close(handle);
		}
	}

	/**
	 * Give up one of several acquisitions. A count that the store cannot be told now, the
	 * next release will: counts are absolute. Others who want to share are not kept
	 * waiting for that.
	 */
	private ReleaseResult reduce(Hold hold, HoldHandle leaving, boolean aside) {
		boolean sharing = false;
		try {
			boolean lost = this.losses.checkLease(hold) != null;
			sharing = hold.startSharing(leaving);
			if (lost) {
				return ReleaseResult.LOST;
			}
			if (aside) {
				settleSoon(hold);
			}
			else if (!tellCount(hold, sharing)) {
				this.losses.gone(hold);
				return ReleaseResult.LOST;
			}
		}
		catch (RuntimeException | Error ex) {
			if (sharing) {
				settleSoon(hold);
			}
			logger.debug("Could not reduce the count of lock '{}'", LogText.of(hold.terms().text()), ex);
		}
		finally {
			if (sharing) {
				hold.line().detach(hold);
			}
		}
		return ReleaseResult.STILL_HELD;
	}

	/**
	 * Tell the store how many acquisitions are left, and whether all of them share.
	 */
	private boolean tellCount(Hold hold, boolean sharing) {
		int left = hold.countLeft();
		return sharing ? this.store.downgrade(hold.id(), left) : this.store.release(hold.id(), left);
	}

	private void settleSoon(Hold hold) {
		this.housekeeper.repeat(hold.terms().keys(), () -> settle(hold));
	}

	/**
	 * Try to tell the store how many acquisitions there are and whether all of them
	 * share, as it is now.
	 * @return whether there is nothing more to do
	 */
	private boolean settle(Hold hold) {
		if (!hold.counting().tryLock()) {
			return false;
		}
		try {
			int count = hold.count();
			boolean held = count == 0 || ((!hold.isDowngraded() || this.store.downgrade(hold.id(), count))
					&& this.store.release(hold.id(), count));
			if (!held) {
				this.losses.gone(hold);
			}
			return true;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not tell what is left of lock '{}', trying again", LogText.of(hold.terms().text()), ex);
			return false;
		}
		finally {
			hold.counting().unlock();
		}
	}

	/**
	 * Whatever is thrown, the hold ends here, and the caller's own result is not touched.
	 * What has been begun and ended by an error is not done again: the store may not know
	 * the hold any more.
	 */
	private ReleaseResult end(Hold hold, boolean aside) {
		if (hold.isReleasing()) {
			this.cleanup.release(hold);
			forget(hold);
			return ReleaseResult.PENDING;
		}
		LockSnapshot lock = null;
		ReleaseResult result;
		this.underWay.begin();
		try {
			lock = hold.snapshot();
			this.losses.checkLease(hold);
			result = endInStore(hold, lock, aside);
		}
		catch (RuntimeException | Error ex) {
			result = endAfter(hold, ex);
		}
		finally {
			forget(hold);
			this.underWay.end();
		}
		if (lock != null && !this.listeners.isEmpty()) {
			this.listeners.released(lock, hold.heldFor(), result, aside);
		}
		return result;
	}

	private ReleaseResult endInStore(Hold hold, LockSnapshot lock, boolean aside) {
		if (!hold.startRelease()) {
			this.cleanup.clear(hold);
			return ReleaseResult.LOST;
		}
		if (aside) {
			this.cleanup.release(hold);
			return ReleaseResult.PENDING;
		}
		ReleaseResult result = endNow(hold);
		if (result == ReleaseResult.LOST) {
			this.losses.goneAtRelease(hold, lock);
		}
		return result;
	}

	private ReleaseResult endNow(Hold hold) {
		Duration rest = hold.rest();
		if (rest.isZero()) {
			return hold.line().release(hold);
		}
		return hold.released(this.store.keep(hold.id(), rest));
	}

	private ReleaseResult endAfter(Hold hold, Throwable failure) {
		boolean held = hold.startRelease();
		if (held) {
			this.cleanup.release(hold);
		}
		else {
			this.cleanup.clear(hold);
		}
		logger.debug("Could not release lock '{}' now, trying again", LogText.of(hold.terms().text()), failure);
		return held ? ReleaseResult.PENDING : ReleaseResult.LOST;
	}

	/**
	 * If this fails, the watchdog does the rest.
	 */
	private void forget(Hold hold) {
		this.losses.forget(hold);
		this.watchdog.forget(hold);
	}

}
