package io.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.LogText;
import io.holdfast.NotAcquiredReason;
import io.holdfast.engine.store.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Gets callers the locks they ask for: nested acquisitions from the hold that is there,
 * others by an {@link Acquisition}.
 */
final class Acquirer {

	private final Engine engine;

	Acquirer(Engine engine) {
		this.engine = engine;
	}

	/**
	 * Acquire a lock for the current thread, or for the handle that it gets.
	 * @throws InterruptedException when interrupted, if the caller is interruptible
	 */
	Result acquire(LockRequest request, CallingThread caller) throws InterruptedException {
		Result result = new Result(request, caller.deadline());
		this.engine.acquisitions().begin();
		NotAcquiredReason reason = null;
		try {
			acquire(result, Terms.of(request, this.engine.settings()), caller);
			reason = (result.handle() != null) ? null : NotAcquiredReason.TIMEOUT;
			return result;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			reason = reason(ex);
			throw ex;
		}
		finally {
			this.engine.acquisitions().end();
			result.giveUpParts();
			if (reason != null) {
				this.engine.listeners().notAcquired(request, caller.deadline().waited(), reason);
			}
			caller.restoreInterrupt();
		}
	}

	private static NotAcquiredReason reason(Throwable failure) {
		if (failure instanceof InterruptedException) {
			return NotAcquiredReason.INTERRUPTED;
		}
		return (failure instanceof LockUpgradeException) ? NotAcquiredReason.REFUSED : NotAcquiredReason.UNAVAILABLE;
	}

	private void acquire(Result result, Terms terms, CallingThread caller) throws InterruptedException {
		Owner owner = result.request().handleBound() ? this.engine.owners().newHandle()
				: this.engine.owners().currentThread();
		boolean decided = false;
		while (!decided) {
			Map<Hold, List<String>> present = this.engine.holds().find(terms.keys(), owner);
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
		Outage outage = new Outage(this.engine.runtime(), this.engine.settings().waitFor());
		Deadline deadline = caller.deadline();
		while (true) {
			try {
				return this.engine.keeper().reenter(hold, terms);
			}
			catch (LockStoreException ex) {
				outage.failed(ex);
				if (outage.endsWaitOf(deadline) || deadline.isOver()) {
					throw Outage.unavailable(terms, ex);
				}
			}
			this.engine.shutdown().ensureMayWait();
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
		Acquisition acquisition = new Acquisition(this.engine, terms, owner, caller.deadline(), caller);
		this.engine.shutdown().ensureOpen();
		Hold hold = caller.await(acquisition);
		result.holder(acquisition.holder());
		return (hold != null) ? keep(hold, caller.deadline()) : null;
	}

	/**
	 * Keep a hold, unless the engine has been closed meanwhile: then whoever closed it
	 * may not have seen the hold.
	 */
	HoldHandle keep(Hold hold, Deadline deadline) {
		HoldHandle handle = this.engine.keeper().keep(hold, deadline);
		if (this.engine.shutdown().isClosed()) {
			handle.giveBack();
			this.engine.shutdown().ensureOpen();
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

		/**
		 * Return the handle, or {@code null} when the lock was not acquired in time.
		 */
		@Nullable LockHandle handle() {
			return this.handle;
		}

		void handle(@Nullable LockHandle handle) {
			this.handle = handle;
		}

		/**
		 * Put down who holds the lock instead.
		 * @param holder the holder, or {@code null} when it is not known
		 */
		void holder(@Nullable String holder) {
			this.holder = holder;
		}

		/**
		 * Return the handle.
		 * @throws LockNotAcquiredException when there is none
		 */
		LockHandle orThrow() {
			if (this.handle == null) {
				throw new LockNotAcquiredException(LogText.keys(this.request.lockKeys()), this.deadline.waited(),
						this.holder);
			}
			return this.handle;
		}

	}

}
