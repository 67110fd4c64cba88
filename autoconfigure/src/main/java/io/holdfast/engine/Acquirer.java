package io.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.engine.EngineListener.LockWait;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks for callers: nested acquisitions from the existing hold, others by an
 * {@link Acquisition}.
 */
final class Acquirer {

	private final Requests requests;

	private final Holds holds;

	private final HoldKeeper keeper;

	private final Lines lines;

	Acquirer(Requests requests, Holds holds, HoldKeeper keeper, Lines lines) {
		this.requests = requests;
		this.holds = holds;
		this.keeper = keeper;
		this.lines = lines;
	}

	boolean isHeldByCurrentThread(List<String> keys) {
		Owner owner = this.requests.owners().currentThread();
		return this.holds.find(keys, owner).keySet().stream().anyMatch(Hold::isHeld);
	}

	// None unless it holds all of them in this mode
	List<Hold> heldByCurrentThread(List<String> keys, LockMode mode) {
		Map<Hold, List<String>> found = this.holds.find(keys, this.requests.owners().currentThread());
		boolean all = found.values().stream().mapToInt(List::size).sum() == keys.size()
				&& found.keySet().stream().allMatch((hold) -> hold.isHeld() && hold.count(mode) > 0);
		return all ? List.copyOf(found.keySet()) : List.of();
	}

	// The outer handle is what the caller must still hold to acquire it again, if
	// anything
	Result acquire(LockRequest request, @Nullable LockHandle outer, CallingThread caller) throws InterruptedException {
		CallingThread.ensureMayBlock(request);
		Terms terms = this.requests.terms(request);
		Result result = new Result(request, caller.deadline());
		this.requests.begin();
		Throwable failure = null;
		try {
			acquire(result, terms, outer, caller);
			return result;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			failure = ex;
			throw ex;
		}
		finally {
			this.requests.end();
			if (failure != null || result.handle() == null) {
				this.requests.notAcquired(request, caller.deadline(), Requests.reason(failure));
			}
			caller.restoreInterrupt();
		}
	}

	private void acquire(Result result, Terms terms, @Nullable LockHandle outer, CallingThread caller)
			throws InterruptedException {
		Owner.Factory owners = this.requests.owners();
		Owner owner = result.request().handleBound() ? owners.newHandle() : owners.currentThread();
		boolean decided = false;
		while (!decided) {
			Map<Hold, List<String>> present = this.holds.find(terms.keys(), owner);
			if (outer != null) {
				outer.ensureHeld(); // then its hold is among those that were found
			}
			if (present.isEmpty()) {
				result.handle(run(result, terms, owner, caller));
				decided = true;
			}
			else {
				decided = acquireAgain(present, result, terms, owner, caller);
			}
		}
	}

	// Returns false if one of the owner's holds turns out to be lost, even while waiting
	// for the rest: then nothing is kept
	private boolean acquireAgain(Map<Hold, List<String>> present, Result result, Terms terms, Owner owner,
			CallingThread caller) throws InterruptedException {
		List<HoldHandle> parts = new ArrayList<>(present.size() + 1);
		try {
			if (!reenter(present, terms, caller, parts)) {
				return false;
			}
			List<String> missing = new ArrayList<>(terms.keys());
			present.values().forEach(missing::removeAll);
			if (!missing.isEmpty()) {
				HoldHandle rest = run(result, terms.on(List.copyOf(missing)), owner, caller);
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

	private boolean reenter(Map<Hold, List<String>> present, Terms terms, CallingThread caller,
			List<HoldHandle> handles) throws InterruptedException {
		for (Map.Entry<Hold, List<String>> entry : present.entrySet()) {
			HoldHandle handle = reenter(entry.getKey(), terms.on(entry.getValue()), caller);
			if (handle == null) {
				return false;
			}
			handles.add(handle);
		}
		return true;
	}

	// While the store does not answer, this is repeated until the caller's wait ends or
	// the hold is lost
	private @Nullable HoldHandle reenter(Hold hold, Terms terms, CallingThread caller) throws InterruptedException {
		Outage outage = this.lines.newOutage();
		Deadline deadline = caller.deadline();
		while (true) {
			try {
				return this.keeper.reenter(hold, terms);
			}
			catch (LockStoreException ex) {
				outage.failed(ex);
				if (outage.endsWaitOf(deadline) || deadline.isOver()) {
					throw Outage.unavailable(terms.text(), ex);
				}
			}
			deadline.ensureMayWait();
			caller.sleep(Math.min(Outage.RETRY.toNanos(), deadline.left()));
		}
	}

	private @Nullable HoldHandle run(Result result, Terms terms, Owner owner, CallingThread caller)
			throws InterruptedException {
		Acquisition acquisition = newAcquisition(terms, owner, caller.deadline(), caller);
		caller.deadline().ensureOpen();
		this.keeper.clearLost(terms.keys(), owner);
		Hold hold = await(acquisition, caller);
		result.acquisition(acquisition);
		return (hold != null) ? keep(hold, caller.deadline()) : null;
	}

	private static @Nullable Hold await(Acquisition acquisition, CallingThread caller) throws InterruptedException {
		boolean interruptedBefore = Thread.currentThread().isInterrupted();
		try {
			if (!caller.deadline().isOneAttempt()) {
				caller.noticeInterrupt();
			}
			long nanos = acquisition.proceed();
			while (nanos != Line.DECIDED) {
				caller.sleep(nanos);
				nanos = acquisition.proceed();
			}
			return acquisition.takeHold();
		}
		catch (LockUnavailableException ex) {
			if (!interruptedBefore) {
				caller.noticeInterrupt();
			}
			throw ex;
		}
		finally {
			acquisition.end();
		}
	}

	Acquisition newAcquisition(Terms terms, Owner owner, Deadline deadline, Sleeper sleeper) {
		return new Acquisition(this.lines, this.keeper, terms, owner, deadline, sleeper);
	}

	// Unless the engine was closed meanwhile: the shutdown may not have seen the hold
	HoldHandle keep(Hold hold, Deadline deadline) {
		HoldHandle handle = this.keeper.keep(hold, deadline);
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
				LockWait wait = (this.acquisition != null) ? this.acquisition.snapshot() : null;
				throw new LockNotAcquiredException(LogText.keys(this.request.lockKeys()), this.deadline.isOneAttempt(),
						this.deadline.waited(), (wait != null) ? wait.holder() : null,
						(wait != null) ? wait.holderName() : null);
			}
			return this.handle;
		}

	}

}
