package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.holdfast.LockSnapshot;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up the acquisitions that make up a hold, and with the last one the hold. All is
 * done with the hold's count locked.
 */
final class Releases {

	private static final Logger logger = LoggerFactory.getLogger(Releases.class);

	private final LockStore store;

	private final Relay relay;

	private final Holds holds;

	private final Losses losses;

	private final Leftovers leftovers;

	private final Watchdog watchdog;

	private final Housekeeper housekeeper;

	private final Listeners listeners;

	private final Tally underWay;

	Releases(LockStore store, Relay relay, Holds holds, Losses losses, Leftovers leftovers, Watchdog watchdog,
			Housekeeper housekeeper, Listeners listeners, EngineRuntime runtime) {
		this.store = store;
		this.relay = relay;
		this.holds = holds;
		this.losses = losses;
		this.leftovers = leftovers;
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
			this.housekeeper.repeat(keys, attempt);
		}
	}

	/**
	 * Wait until no release is under way.
	 */
	void awaitNone(Duration atMost) {
		this.underWay.awaitNone(atMost);
	}

	/**
	 * The handle is closed at the end, so that it is told a loss that is found on the
	 * way.
	 */
	private ReleaseResult release(Hold hold, HoldHandle handle, boolean aside) {
		LockSnapshot lock = hold.snapshot();
		try {
			boolean lost = this.losses.checkLease(hold) != null;
			int left = hold.countLeft();
			if (left > 0) {
				boolean sharing = hold.startSharing(handle);
				boolean held = !lost && (aside ? reduceAside(hold, sharing) : reduce(hold, left, sharing));
				return held ? ReleaseResult.STILL_HELD : ReleaseResult.LOST;
			}
			ReleaseResult result = aside ? endAside(hold) : end(hold, lock);
			if (!this.listeners.isEmpty()) {
				this.listeners.released(lock, hold.heldFor(), result);
			}
			return result;
		}
		finally {
			hold.close(handle);
		}
	}

	/**
	 * Tell the store how many acquisitions are left, and whether all of them share. A
	 * count that it cannot be told now, the next release will: counts are absolute.
	 * Others who want to share are not kept waiting for that.
	 */
	private boolean reduce(Hold hold, int left, boolean sharing) {
		try {
			boolean held = sharing ? this.store.downgrade(hold.id(), left) : this.store.release(hold.id(), left);
			if (!held) {
				this.losses.gone(hold);
			}
			return held;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not reduce the count of lock '{}' to {}", LogText.of(hold.terms().text()), left, ex);
			if (sharing) {
				settleSoon(hold);
			}
			return true;
		}
		finally {
			if (sharing) {
				hold.waiter().end();
			}
		}
	}

	private boolean reduceAside(Hold hold, boolean sharing) {
		if (sharing) {
			hold.waiter().end();
		}
		settleSoon(hold);
		return true;
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
	 * Whatever goes wrong in the store, the hold ends here, and the caller's own result
	 * is not touched.
	 */
	private ReleaseResult end(Hold hold, LockSnapshot lock) {
		if (!hold.startRelease()) {
			this.leftovers.clear(hold);
			return ReleaseResult.LOST;
		}
		this.underWay.begin();
		try {
			this.watchdog.forget(hold);
			if (this.relay.release(hold)) {
				return ReleaseResult.RELEASED;
			}
			this.losses.goneAtRelease(hold, lock);
			return ReleaseResult.LOST;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not release lock '{}' now, trying again", LogText.of(hold.terms().text()), ex);
			this.leftovers.release(hold);
			return ReleaseResult.PENDING;
		}
		finally {
			this.holds.remove(hold);
			hold.waiter().end();
			this.underWay.end();
		}
	}

	private ReleaseResult endAside(Hold hold) {
		if (!hold.startRelease()) {
			this.leftovers.clear(hold);
			return ReleaseResult.LOST;
		}
		this.leftovers.release(hold);
		this.watchdog.forget(hold);
		this.holds.remove(hold);
		hold.waiter().end();
		return ReleaseResult.PENDING;
	}

}
