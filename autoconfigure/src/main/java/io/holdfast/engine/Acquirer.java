package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.LogText;
import io.holdfast.NotAcquiredReason;
import io.holdfast.engine.EngineListener.LockWait;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks for callers: nested acquisitions from the existing hold, others by an
 * {@link Acquisition}.
 */
final class Acquirer {

	private final LockStore store;

	private final EngineSettings settings;

	private final EngineRuntime runtime;

	private final Shutdown shutdown;

	private final Owner.Factory owners;

	private final Lines lines;

	private final Holds holds;

	private final Watchdog watchdog;

	private final Renewals renewals;

	private final Releases releases;

	private final Losses losses;

	private final Listeners listeners;

	private final Tally underWay;

	Acquirer(LockStore store, EngineSettings settings, EngineRuntime runtime, Shutdown shutdown, Owner.Factory owners,
			Lines lines, Holds holds, Watchdog watchdog, Renewals renewals, Releases releases, Losses losses,
			Listeners listeners) {
		this.store = store;
		this.settings = settings;
		this.runtime = runtime;
		this.shutdown = shutdown;
		this.owners = owners;
		this.lines = lines;
		this.holds = holds;
		this.watchdog = watchdog;
		this.renewals = renewals;
		this.releases = releases;
		this.losses = losses;
		this.listeners = listeners;
		this.underWay = new Tally(runtime);
	}

	Terms terms(LockRequest request) {
		return Terms.of(request, this.settings, this.store);
	}

	Deadline deadline(LockRequest request) {
		return deadline((request.waitFor() != null) ? request.waitFor() : this.settings.waitFor());
	}

	Deadline deadline(Duration waitFor) {
		return new Deadline(this.runtime, waitFor, this.shutdown);
	}

	Tally underWay() {
		return this.underWay;
	}

	boolean isHeldByCurrentThread(List<String> keys) {
		Owner owner = this.owners.currentThread();
		return this.holds.find(keys, owner).keySet().stream().anyMatch(Hold::isHeld);
	}

	// Returns none unless the thread holds all of the keys in this mode
	List<Hold> heldByCurrentThread(List<String> keys, LockMode mode) {
		Map<Hold, List<String>> found = this.holds.find(keys, this.owners.currentThread());
		boolean all = found.values().stream().mapToInt(List::size).sum() == keys.size()
				&& found.keySet().stream().allMatch((hold) -> hold.isHeld() && hold.count(mode) > 0);
		return all ? List.copyOf(found.keySet()) : List.of();
	}

	// If there is an outer handle, the caller must still hold it, or release it first
	Result acquire(@Nullable LockHandle outer, CallingThread caller) {
		caller.ensureMayBlock();
		LockRequest request = caller.request();
		Terms terms = terms(request);
		Owner owner = request.handleBound() ? this.owners.newHandle() : this.owners.currentThread();
		Result result = new Result(request, caller.deadline());
		this.underWay.begin();
		Throwable failure = null;
		try {
			Map<Hold, List<String>> present;
			do {
				present = find(terms, owner, outer);
			}
			while (!present.isEmpty() && !acquireAgain(present, result, terms, owner, caller));
			if (present.isEmpty()) {
				result.handle(acquireNew(result, terms, owner, caller));
			}
			return result;
		}
		catch (RuntimeException | Error ex) {
			failure = ex;
			throw ex;
		}
		finally {
			this.underWay.end();
			if (failure != null || result.handle() == null) {
				tellNotAcquired(request, caller.deadline(), reason(failure));
			}
			caller.restoreInterrupt();
		}
	}

	// Checks last, so that what the caller still holds is among those that are found
	private Map<Hold, List<String>> find(Terms terms, Owner owner, @Nullable LockHandle outer) {
		Map<Hold, List<String>> present = this.holds.find(terms.keys(), owner);
		if (outer != null) {
			outer.ensureHeld();
		}
		return present;
	}

	void tellNotAcquired(LockRequest request, Deadline deadline, NotAcquiredReason reason) {
		this.listeners.notAcquired(request, deadline.waited(), reason);
	}

	static NotAcquiredReason reason(@Nullable Throwable failure) {
		if (failure == null) {
			return NotAcquiredReason.TIMEOUT;
		}
		if (failure instanceof LockInterruptedException) {
			return NotAcquiredReason.INTERRUPTED;
		}
		boolean refused = failure instanceof LockUpgradeException || failure instanceof LockLostException;
		return refused ? NotAcquiredReason.REFUSED : NotAcquiredReason.UNAVAILABLE;
	}

	private @Nullable HoldHandle acquireNew(Result result, Terms terms, Owner owner, CallingThread caller) {
		caller.deadline().ensureOpen();
		this.losses.clearLost(terms.keys(), owner);
		Acquisition acquisition = newAcquisition(result, terms, owner, caller);
		return register(acquisition.acquire(caller), caller.deadline());
	}

	Acquisition newAcquisition(Result result, Terms terms, Owner owner, Sleeper sleeper) {
		Acquisition acquisition = new Acquisition(this.lines, this.holds, this.releases, terms, owner,
				result.deadline(), sleeper);
		result.acquisition(acquisition);
		return acquisition;
	}

	// Returns false if one of the owner's holds turns out to be lost, even while waiting
	// for the rest: then nothing is kept
	private boolean acquireAgain(Map<Hold, List<String>> present, Result result, Terms terms, Owner owner,
			CallingThread caller) {
		List<HoldHandle> parts = new ArrayList<>(present.size() + 1);
		try {
			if (!reenterAll(present, terms, caller, parts)) {
				return false;
			}
			List<String> missing = new ArrayList<>(terms.keys());
			present.values().forEach(missing::removeAll);
			if (!missing.isEmpty()) {
				HoldHandle rest = acquireNew(result, terms.on(List.copyOf(missing)), owner, caller);
				if (rest == null) {
					return true;
				}
				parts.add(rest);
			}
			LockHandle whole = (parts.size() == 1) ? parts.get(0) : new JointHandle(terms, parts);
			result.handle(whole.isHeld() ? whole : null);
			return result.handle() != null;
		}
		finally {
			if (result.handle() == null) {
				giveBack(parts);
			}
		}
	}

	private static void giveBack(List<HoldHandle> parts) {
		parts.forEach(HoldHandle::noteUnused);
		JointHandle.releaseAll(parts);
	}

	private boolean reenterAll(Map<Hold, List<String>> present, Terms terms, CallingThread caller,
			List<HoldHandle> handles) {
		for (Map.Entry<Hold, List<String>> entry : present.entrySet()) {
			HoldHandle handle = awaitReentry(entry.getKey(), terms.on(entry.getValue()), caller);
			if (handle == null) {
				return false;
			}
			handles.add(handle);
		}
		return true;
	}

	// While the store does not answer, this is repeated until the caller's wait ends or
	// the hold is lost
	private @Nullable HoldHandle awaitReentry(Hold hold, Terms terms, CallingThread caller) {
		Outage outage = this.lines.newOutage();
		Deadline deadline = caller.deadline();
		while (true) {
			try {
				return reenter(hold, terms);
			}
			catch (LockStoreException ex) {
				outage.failed(ex);
				if (outage.endsWaitOf(deadline) || deadline.isOver()) {
					throw Outage.unavailable(terms.keysText(), ex);
				}
			}
			deadline.ensureMayWait();
			caller.sleep(Math.min(Outage.RETRY.toNanos(), deadline.left()));
		}
	}

	private @Nullable HoldHandle reenter(Hold hold, Terms terms) {
		hold.counting().lock();
		try {
			if (this.losses.checkLease(hold) != null || !hold.isHeld()) {
				return null;
			}
			if (terms.mode() == LockMode.EXCLUSIVE && hold.mode() == LockMode.SHARED) {
				refuseUpgrade(hold, terms);
				return null;
			}
			return this.renewals.setCount(hold, hold.countWith(terms.mode()), terms.lease()) ? openAgain(hold, terms)
					: null;
		}
		finally {
			hold.counting().unlock();
		}
	}

	private HoldHandle openAgain(Hold hold, Terms terms) {
		HoldHandle handle = newHandle(hold, terms);
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
		if (this.renewals.confirm(hold)) {
			throw new LockUpgradeException(terms.keysText(), hold.owner().threadName());
		}
	}

	private HoldHandle newHandle(Hold hold, Terms terms) {
		return new HoldHandle(hold, terms, this.releases, this.renewals, this.losses, this.listeners);
	}

	// Gives the hold back if the engine was closed meanwhile: the shutdown may not have
	// seen it. If this throws, nothing of the hold is left
	@Nullable HoldHandle register(@Nullable Hold hold, Deadline deadline) {
		if (hold == null) {
			return null;
		}
		HoldHandle handle;
		try {
			handle = newHandle(hold, hold.terms());
			hold.open(handle);
			this.holds.add(hold);
			this.watchdog.watch(hold);
			this.listeners.acquired(hold, deadline);
		}
		catch (Throwable ex) {
			this.releases.abandon(hold);
			throw ex;
		}
		try {
			deadline.ensureOpen();
			return handle;
		}
		catch (LockUnavailableException ex) {
			handle.giveBack();
			throw ex;
		}
	}

	static final class Result {

		private final LockRequest request;

		private final Deadline deadline;

		private @Nullable LockHandle handle;

		private @Nullable Acquisition acquisition;

		Result(LockRequest request, Deadline deadline) {
			this.request = request;
			this.deadline = deadline;
		}

		LockRequest request() {
			return this.request;
		}

		Deadline deadline() {
			return this.deadline;
		}

		@Nullable LockHandle handle() {
			return this.handle;
		}

		void handle(@Nullable LockHandle handle) {
			this.handle = handle;
		}

		void acquisition(Acquisition acquisition) {
			this.acquisition = acquisition;
		}

		LockHandle orThrow() {
			if (this.handle == null) {
				throw failure();
			}
			return this.handle;
		}

		LockNotAcquiredException failure() {
			LockWait wait = (this.acquisition != null) ? this.acquisition.snapshot() : null;
			return new LockNotAcquiredException(LogText.keys(this.request.lockKeys()), this.deadline.isOneAttempt(),
					this.deadline.waited(), (wait != null) ? wait.holder() : null,
					(wait != null) ? wait.holderName() : null);
		}

	}

}
