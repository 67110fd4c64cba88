package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockException;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to a hold between its grant and its end: nested acquisitions, extensions
 * and releases.
 */
final class HoldKeeper {

	private static final Logger logger = LoggerFactory.getLogger(HoldKeeper.class);

	private final LockStore store;

	private final Relay relay;

	private final Holds holds;

	private final Losses losses;

	private final Leftovers leftovers;

	private final Watchdog watchdog;

	private final Listeners listeners;

	private final MonotonicClock clock;

	private final Tally releases = new Tally();

	HoldKeeper(LockStore store, Relay relay, Holds holds, Losses losses, Leftovers leftovers, Watchdog watchdog,
			Listeners listeners, MonotonicClock clock) {
		this.store = store;
		this.relay = relay;
		this.holds = holds;
		this.losses = losses;
		this.leftovers = leftovers;
		this.watchdog = watchdog;
		this.listeners = listeners;
		this.clock = clock;
	}

	/**
	 * Begin to keep a hold that was just granted.
	 */
	HoldHandle keep(Hold hold, Duration waited) {
		HoldHandle handle = open(hold, hold.terms());
		this.holds.add(hold);
		try {
			this.watchdog.watch(hold);
			this.listeners.acquired(hold, waited);
			return handle;
		}
		catch (RuntimeException | Error ex) {
			handle.release();
			throw ex;
		}
	}

	/**
	 * Wait until no release is under way.
	 */
	void awaitReleases(Duration atMost) {
		this.releases.awaitNone(atMost);
	}

	/**
	 * Acquire a lock again that its owner holds already.
	 * @return the new handle, or {@code null} when the hold turns out to be lost
	 * @throws LockException when it is shared and the exclusive lock is asked for
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable HoldHandle reenter(Hold hold, Terms terms) {
		hold.counting().lock();
		try {
			if (this.losses.checkLease(hold) != null || !hold.isHeld()) {
				return null;
			}
			refuseUpgrade(hold, terms);
			int count = hold.count() + 1;
			if (!prolong(hold, terms.lease(), () -> this.store.reenter(hold.id(), count, terms.lease()))) {
				return null;
			}
			HoldHandle handle = open(hold, terms);
			this.watchdog.watch(hold);
			return handle;
		}
		finally {
			hold.counting().unlock();
		}
	}

	/**
	 * Two readers that both wait for the other to let go would wait forever. Whether the
	 * hold is shared can change until its count is locked.
	 */
	private static void refuseUpgrade(Hold hold, Terms terms) {
		if (terms.mode() == LockMode.EXCLUSIVE && hold.mode() == LockMode.SHARED) {
			throw new LockException("The exclusive lock of '%s' cannot be acquired by %s, which holds the shared one: "
				.formatted(terms.text(), hold.owner().threadName())
					+ "release that first, or acquire the exclusive lock from the beginning");
		}
	}

	/**
	 * Make a hold last at least so long from now on.
	 * @return whether it is held
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	boolean extend(Hold hold, Duration lease) {
		if (!hold.isHeld()) {
			this.losses.checkLease(hold);
			return false;
		}
		return prolong(hold, lease, () -> renew(new Renewal(hold.id(), lease)));
	}

	private @Nullable Duration renew(Renewal renewal) {
		RenewalOutcome outcome = this.store.renew(List.of(renewal)).get(0);
		if (outcome instanceof NotAnswered unanswered) {
			throw unanswered.failure();
		}
		return (outcome instanceof Renewed renewed) ? renewed.lasts() : null;
	}

	/**
	 * Give up one of a hold's acquisitions, and with the last one the hold. Called with
	 * the hold's count locked.
	 */
	ReleaseResult release(Hold hold, HoldHandle handle) {
		LockSnapshot lock = hold.snapshot();
		int left = hold.close(handle);
		boolean lost = this.losses.checkLease(hold) != null;
		if (left > 0) {
			return (lost || !reduce(hold, left, hold.startSharing())) ? ReleaseResult.LOST : ReleaseResult.STILL_HELD;
		}
		ReleaseResult result = end(hold, lock);
		if (!this.listeners.isEmpty()) {
			this.listeners.released(lock, hold.heldFor(), result);
		}
		return result;
	}

	/**
	 * Return the loss of a hold, after a look at the clock.
	 */
	@Nullable LockLostException checkLease(Hold hold) {
		return this.losses.checkLease(hold);
	}

	private HoldHandle open(Hold hold, Terms terms) {
		HoldHandle handle = new HoldHandle(hold, terms, this, this.clock);
		hold.open(handle);
		return handle;
	}

	/**
	 * Ask the store for more time.
	 * @return whether the hold is held; an answer that comes after the lease does not
	 * count
	 */
	private boolean prolong(Hold hold, Duration lease, Prolongation prolongation) {
		long sentAt = this.clock.nanos();
		hold.lease().asked(sentAt, lease);
		try {
			Duration granted = prolongation.ask();
			if (granted == null) {
				this.losses.gone(hold);
				return false;
			}
			hold.lease().prolong(sentAt, granted);
			return this.losses.checkLease(hold) == null && hold.isHeld();
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException("Lock '%s' could not be extended".formatted(hold.terms().text()), ex);
		}
	}

	/**
	 * Tell the store how many acquisitions are left, and whether all of them share. If it
	 * cannot be told now, the next release will: counts are absolute.
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
			logger.debug("Could not reduce the count of lock '{}' to {}", hold.terms().text(), left, ex);
			return true;
		}
		finally {
			if (sharing) {
				hold.waiter().end();
			}
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
		this.releases.begin();
		try {
			this.watchdog.forget(hold);
			if (this.relay.release(hold)) {
				return ReleaseResult.RELEASED;
			}
			this.losses.goneAtRelease(hold, lock);
			return ReleaseResult.LOST;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not release lock '{}' now, trying again", hold.terms().text(), ex);
			this.leftovers.clear(hold);
			return ReleaseResult.PENDING;
		}
		finally {
			this.holds.remove(hold);
			hold.waiter().end();
			this.releases.end();
		}
	}

	@FunctionalInterface
	private interface Prolongation {

		@Nullable Duration ask();

	}

}
