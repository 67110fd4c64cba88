package io.holdfast.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.engine.runtime.MonotonicClock;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.NotAnswered;
import io.holdfast.engine.store.LockStore.Renewal;
import io.holdfast.engine.store.LockStore.RenewalOutcome;
import io.holdfast.engine.store.LockStore.Renewed;
import io.holdfast.engine.store.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a hold between its grant and its end: nested acquisitions and
 * extensions.
 */
final class HoldKeeper {

	private final LockStore store;

	private final Releases releases;

	private final Holds holds;

	private final ThreadHolds threadHolds;

	private final Losses losses;

	private final Watchdog watchdog;

	private final Listeners listeners;

	private final AsyncThreads asyncThreads;

	private final MonotonicClock clock;

	HoldKeeper(LockStore store, Releases releases, Holds holds, ThreadHolds threadHolds, Losses losses,
			Watchdog watchdog, Listeners listeners, AsyncThreads asyncThreads, MonotonicClock clock) {
		this.store = store;
		this.releases = releases;
		this.holds = holds;
		this.threadHolds = threadHolds;
		this.losses = losses;
		this.watchdog = watchdog;
		this.listeners = listeners;
		this.asyncThreads = asyncThreads;
		this.clock = clock;
	}

	/**
	 * Begin to keep a hold that was just granted. If this throws, nothing of it is left.
	 */
	HoldHandle keep(Hold hold, Deadline deadline) {
		HoldHandle handle = null;
		try {
			handle = open(hold, hold.terms());
			this.threadHolds.add(hold);
			this.holds.add(hold);
			watch(hold);
			this.listeners.acquired(hold, deadline);
			return handle;
		}
		catch (Throwable ex) {
			if (handle != null) {
				handle.giveUp();
			}
			this.releases.abandon(hold);
			throw ex;
		}
	}

	/**
	 * A hold that nobody looks after would be lost without a word.
	 */
	private void watch(Hold hold) {
		if (!this.watchdog.watch(hold)) {
			throw new LockUnavailableException(
					"Lock '%s' could not be kept: no thread can be started to renew it".formatted(hold.terms().text()),
					null);
		}
	}

	/**
	 * Have the holds of keys released that the current thread has lost, without waiting
	 * for the end of what it does under them.
	 * @return whether there are any
	 */
	boolean clearLost(List<String> keys) {
		List<Hold> lost = this.threadHolds.ofCurrentThread()
			.stream()
			.filter((hold) -> hold.loss() != null && !Collections.disjoint(hold.terms().keys(), keys))
			.toList();
		lost.forEach(this.releases::clear);
		return !lost.isEmpty();
	}

	Releases releases() {
		return this.releases;
	}

	Listeners listeners() {
		return this.listeners;
	}

	AsyncThreads asyncThreads() {
		return this.asyncThreads;
	}

	/**
	 * Acquire a lock again that its owner holds already.
	 * @return the new handle, or {@code null} when the hold turns out to be lost
	 * @throws LockUpgradeException when it is shared and the exclusive lock is asked for
	 * @throws LockStoreException when the store cannot be asked
	 */
	@Nullable HoldHandle reenter(Hold hold, Terms terms) {
		hold.counting().lock();
		try {
			if (this.losses.checkLease(hold) != null || !hold.isHeld()) {
				return null;
			}
			if (terms.mode() == LockMode.EXCLUSIVE && hold.mode() == LockMode.SHARED) {
				refuseUpgrade(hold, terms);
				return null;
			}
			int count = hold.count() + 1;
			if (!prolong(hold, terms.lease(), () -> this.store.reenter(hold.id(), count, terms.lease()))) {
				return null;
			}
			return openAgain(hold, terms);
		}
		finally {
			hold.counting().unlock();
		}
	}

	private HoldHandle openAgain(Hold hold, Terms terms) {
		HoldHandle handle = open(hold, terms);
		try {
			watch(hold);
			return handle;
		}
		catch (Throwable ex) {
			handle.giveUp();
			handle.noteUnused();
			hold.close(handle);
			throw ex;
		}
	}

	/**
	 * Two readers that both wait for the other to let go would wait forever. A share that
	 * is gone in the store is no reason to refuse: that is booked, and the caller starts
	 * afresh.
	 */
	private void refuseUpgrade(Hold hold, Terms terms) {
		Duration remaining = hold.lease().remaining();
		if (prolong(hold, remaining, () -> renew(new Renewal(hold.id(), remaining)))) {
			throw new LockUpgradeException(terms.text(), hold.owner().threadName());
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
		try {
			return prolong(hold, lease, () -> renew(new Renewal(hold.id(), lease)));
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException("Lock '%s' could not be extended".formatted(hold.terms().text()), ex);
		}
	}

	private @Nullable Duration renew(Renewal renewal) {
		RenewalOutcome outcome = this.store.renew(List.of(renewal)).get(0);
		if (outcome instanceof NotAnswered unanswered) {
			throw unanswered.failure();
		}
		return (outcome instanceof Renewed renewed) ? renewed.lasts() : null;
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
	 * @throws LockStoreException when the store cannot be asked
	 */
	private boolean prolong(Hold hold, Duration lease, Prolongation prolongation) {
		long sentAt = this.clock.nanos();
		hold.lease().asked(sentAt, lease);
		Duration granted = prolongation.ask();
		if (granted == null) {
			this.losses.gone(hold);
			return false;
		}
		hold.lease().prolong(sentAt, granted);
		return this.losses.checkLease(hold) == null && hold.isHeld();
	}

	@FunctionalInterface
	private interface Prolongation {

		@Nullable Duration ask();

	}

}
