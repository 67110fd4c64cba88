package io.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import io.holdfast.concurrent.CallingThread;
import io.holdfast.concurrent.Deadline;
import io.holdfast.concurrent.Sleeper;
import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.Outage;
import org.jspecify.annotations.Nullable;

/**
 * Gets callers the locks they ask for: nested acquisitions from the hold that is there,
 * others by an {@link Acquisition}.
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

	Result acquire(LockRequest request, CallingThread caller) throws InterruptedException {
		Result result = new Result(request, caller.deadline());
		this.requests.begin();
		Throwable failure = null;
		try {
			acquire(result, this.requests.terms(request), caller);
			return result;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			failure = ex;
			throw ex;
		}
		finally {
			this.requests.end();
			result.giveUpParts();
			if (failure != null || result.handle() == null) {
				this.requests.notAcquired(request, caller.deadline(), Requests.reason(failure));
			}
			caller.restoreInterrupt();
		}
	}

	private void acquire(Result result, Terms terms, CallingThread caller) throws InterruptedException {
		Owner.Factory owners = this.requests.owners();
		Owner owner = result.request().handleBound() ? owners.newHandle() : owners.currentThread();
		boolean decided = false;
		while (!decided) {
			Map<Hold, List<String>> present = this.holds.find(terms.keys(), owner);
			if (present.isEmpty()) {
				result.handle(run(result, terms, owner, caller));
				decided = true;
			}
			else {
				decided = acquireAgain(present, result, terms, owner, caller);
			}
		}
	}

	/**
	 * Acquire again what the owner holds already, and then the rest, if there is any.
	 * @return {@code false} when something that the owner held is found to be lost, be it
	 * while the rest was waited for: nothing of it is kept then
	 */
	private boolean acquireAgain(Map<Hold, List<String>> present, Result result, Terms terms, Owner owner,
			CallingThread caller) throws InterruptedException {
		List<HoldHandle> parts = result.newParts();
		try {
			if (!reenter(present, terms, caller, parts)) {
				return false;
			}
			List<String> missing = missing(terms, present);
			if (!missing.isEmpty()) {
				HoldHandle rest = run(result, terms.on(missing), owner, caller);
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
				parts.forEach(HoldHandle::giveBack);
			}
		}
	}

	/**
	 * Acquire holds again, as far as they are not lost.
	 * @param handles gets the handles
	 * @return whether none is lost
	 */
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

	/**
	 * Acquire a hold again. As long as the store cannot be asked, that is tried again
	 * until the caller's wait is over, or the hold is lost.
	 */
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
			this.requests.shutdown().ensureMayWait();
			caller.sleep(Math.min(Outage.RETRY.toNanos(), deadline.left()));
		}
	}

	private static List<String> missing(Terms terms, Map<Hold, List<String>> present) {
		return terms.keys()
			.stream()
			.filter((key) -> present.values().stream().noneMatch((keys) -> keys.contains(key)))
			.toList();
	}

	private @Nullable HoldHandle run(Result result, Terms terms, Owner owner, CallingThread caller)
			throws InterruptedException {
		Acquisition acquisition = newAcquisition(terms, owner, caller.deadline(), caller);
		this.requests.shutdown().ensureOpen();
		Hold hold = await(acquisition, caller);
		result.holder(acquisition.holder());
		return (hold != null) ? keep(hold, caller.deadline()) : null;
	}

	/**
	 * See an acquisition through.
	 * @return the hold, or {@code null} when the lock was not acquired in time
	 * @throws InterruptedException when interrupted, if the caller is interruptible
	 * @throws LockUnavailableException when the store cannot be asked
	 */
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
		return new Acquisition(this.lines, this.keeper, terms, owner, this.holds.isHolder(owner), deadline, sleeper);
	}

	/**
	 * Keep a hold, unless the engine has been closed meanwhile: then the shutdown may not
	 * have seen the hold.
	 */
	HoldHandle keep(Hold hold, Deadline deadline) {
		HoldHandle handle = this.keeper.keep(hold, deadline);
		if (this.requests.shutdown().isClosed()) {
			handle.giveBack();
			this.requests.shutdown().ensureOpen();
		}
		return handle;
	}

	/**
	 * What comes of a request. It is there before there is anything to put into it, so
	 * that nothing gets lost.
	 */
	static final class Result {

		private final LockRequest request;

		private final Deadline deadline;

		private final List<HoldHandle> parts = new ArrayList<>(0);

		private @Nullable LockHandle handle;

		private @Nullable String holder;

		Result(LockRequest request, Deadline deadline) {
			this.request = request;
			this.deadline = deadline;
		}

		LockRequest request() {
			return this.request;
		}

		/**
		 * Return where to put the parts that the handle is to consist of.
		 */
		List<HoldHandle> newParts() {
			this.parts.clear();
			return this.parts;
		}

		/**
		 * Have the watchdog release the parts of a handle that there is not, should that
		 * have failed where there was less of the stack left.
		 */
		void giveUpParts() {
			if (this.handle == null) {
				for (int i = 0; i < this.parts.size(); i++) {
					this.parts.get(i).giveUp();
				}
			}
		}

		@Nullable LockHandle handle() {
			return this.handle;
		}

		void handle(@Nullable LockHandle handle) {
			this.handle = handle;
		}

		void holder(@Nullable String holder) {
			this.holder = holder;
		}

		LockHandle orThrow() {
			if (this.handle == null) {
				throw new LockNotAcquiredException(LogText.keys(this.request.lockKeys()), this.deadline.waited(),
						this.holder);
			}
			return this.handle;
		}

	}

}
