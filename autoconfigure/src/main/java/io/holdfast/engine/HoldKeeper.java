package io.holdfast.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a hold between its grant and its end, and connects its handles with the rest.
 */
final class HoldKeeper {

	private final Holds holds;

	private final Renewals renewals;

	private final Watchdog watchdog;

	private final Releases releases;

	private final Losses losses;

	private final Listeners listeners;

	private final AsyncThreads threads;

	HoldKeeper(Holds holds, Renewals renewals, Watchdog watchdog, Releases releases, Losses losses, Listeners listeners,
			AsyncThreads threads) {
		this.holds = holds;
		this.renewals = renewals;
		this.watchdog = watchdog;
		this.releases = releases;
		this.losses = losses;
		this.listeners = listeners;
		this.threads = threads;
	}

	// If this throws, nothing of the hold is left
	HoldHandle keep(Hold hold, Deadline deadline) {
		try {
			HoldHandle handle = new HoldHandle(hold, hold.terms(), this, this.releases);
			hold.open(handle);
			this.holds.add(hold);
			this.watchdog.watch(hold);
			this.listeners.acquired(hold, deadline);
			return handle;
		}
		catch (Throwable ex) {
			abandon(hold);
			throw ex;
		}
	}

	String nameOf(String holder, List<String> keys, Owner asking) {
		return this.holds.nameOf(holder, keys, asking);
	}

	void abandon(Hold hold) {
		this.releases.abandon(hold);
	}

	// The sections of lost holds may go on, and must not block the owner's next request
	void clearLost(List<String> keys, Owner owner) {
		for (Hold hold : this.losses.any() ? this.holds.ofCurrentThread() : List.<Hold>of()) {
			if (hold.loss() != null && hold.owner().id().equals(owner.id())
					&& !Collections.disjoint(hold.terms().keys(), keys)) {
				this.losses.forget(hold); // the thread that books the loss may be late
				this.losses.clear(hold);
			}
		}
	}

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
			return this.renewals.count(hold, hold.countWith(terms.mode()), terms.lease()) ? openAgain(hold, terms)
					: null;
		}
		finally {
			hold.counting().unlock();
		}
	}

	private HoldHandle openAgain(Hold hold, Terms terms) {
		HoldHandle handle = new HoldHandle(hold, terms, this, this.releases);
		hold.open(handle);
		try {
			this.watchdog.watch(hold);
			return handle;
		}
		catch (Throwable ex) {
			handle.noteUnused();
			hold.close(handle);
			throw ex;
		}
	}

	// Two readers that wait for each other would wait forever. If the share is gone in
	// the store, the loss is booked instead, and the caller starts anew
	private void refuseUpgrade(Hold hold, Terms terms) {
		if (this.renewals.extend(hold, hold.lease().remaining())) {
			throw new LockUpgradeException(terms.text(), hold.owner().threadName());
		}
	}

	boolean extend(Hold hold, Duration lease) {
		if (!hold.isHeld()) {
			this.losses.checkLease(hold);
			return false;
		}
		try {
			return this.renewals.extend(hold, lease);
		}
		catch (LockStoreException ex) {
			throw new LockUnavailableException("Lock '%s' could not be extended, and keeps its lease: %s"
				.formatted(hold.terms().text(), ex.getMessage()), ex);
		}
	}

	// Ask the store about all holds of the current thread, unless one of them is known to
	// be lost. If the store does not answer, a hold is good for the rest of its lease
	void ensureHeldByCurrentThread() {
		List<Hold> ofThisThread = this.holds.ofCurrentThread();
		ofThisThread.forEach(this::ensureNotLost);
		this.renewals.renew(ofThisThread, Losses.GONE);
		ofThisThread.forEach(this::ensureNotLost);
	}

	// A hold that another thread is releasing just now is not lost, whatever becomes of
	// that
	private void ensureNotLost(Hold hold) {
		LockLostException loss = this.losses.checkLease(hold);
		if (loss != null) {
			throw new LockLostException(hold.terms().text(),
					"thread '%s' has acquired it and not released it since".formatted(hold.owner().threadName()), loss);
		}
	}

	@Nullable LockLostException checkLease(Hold hold) {
		return this.losses.checkLease(hold);
	}

	void tell(Runnable listener) {
		this.listeners.tellAside(listener);
	}

	<T> CompletableFuture<T> async(List<String> keys, Supplier<T> task) {
		return this.threads.call(keys, task);
	}

}
