package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUpgradeException;
import io.holdfast.LogText;
import io.holdfast.NotAcquiredReason;
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
		this.engine.acquisitions().begin();
		NotAcquiredReason reason = null;
		try {
			Result result = acquire(request, Terms.of(request, this.engine.settings()), caller);
			reason = (result.handle() != null) ? null : NotAcquiredReason.TIMEOUT;
			return result;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			reason = reason(ex);
			throw ex;
		}
		finally {
			this.engine.acquisitions().end();
			if (reason != null) {
				this.engine.listeners().notAcquired(request, caller.patience().waited(), reason);
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

	private Result acquire(LockRequest request, Terms terms, CallingThread caller) throws InterruptedException {
		Owner owner = request.handleBound() ? this.engine.owners().newHandle() : this.engine.owners().currentThread();
		Result result = null;
		while (result == null) {
			Map<Hold, List<String>> present = this.engine.holds().find(terms.keys(), owner);
			result = present.isEmpty() ? acquireAnew(request, terms, owner, caller)
					: acquireAgain(present, request, terms, owner, caller);
		}
		return result;
	}

	/**
	 * Acquire again what the owner holds already, and then the rest, if there is any.
	 * @return what came of it, or {@code null} when something that the owner held is
	 * found to be lost, be it while the rest was waited for: nothing of it is kept then
	 */
	private @Nullable Result acquireAgain(Map<Hold, List<String>> present, LockRequest request, Terms terms,
			Owner owner, CallingThread caller) throws InterruptedException {
		List<HoldHandle> parts = new ArrayList<>(present.size() + 1);
		boolean complete = false;
		try {
			if (!reenter(present, terms, caller, parts)) {
				return null;
			}
			List<String> missing = missing(terms, present);
			if (!missing.isEmpty()) {
				Acquisition acquisition = new Acquisition(this.engine, terms.on(missing), owner, caller.patience(),
						caller);
				HoldHandle rest = run(acquisition, caller);
				if (rest == null) {
					return new Result(request, null, caller.patience().waited(), acquisition.holder());
				}
				parts.add(rest);
			}
			LockHandle whole = (parts.size() == 1) ? parts.get(0) : new JointHandle(terms, parts);
			complete = whole.isHeld();
			return complete ? new Result(request, whole, caller.patience().waited(), null) : null;
		}
		finally {
			if (!complete) {
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
		Sight sight = new Sight();
		Patience patience = caller.patience();
		while (true) {
			try {
				return this.engine.keeper().reenter(hold, terms);
			}
			catch (LockStoreException ex) {
				if (!sight.failed(ex, patience, this.engine.settings().waitFor()) || patience.isOver()) {
					throw StoreAttempts.unavailable(terms, ex);
				}
			}
			this.engine.ensureMayWait();
			caller.sleep(patience.until(() -> !hold.isOpen(), Competition.PAUSE_AFTER_FAILURE.toNanos()));
		}
	}

	private static List<String> missing(Terms terms, Map<Hold, List<String>> present) {
		return terms.keys()
			.stream()
			.filter((key) -> present.values().stream().noneMatch((keys) -> keys.contains(key)))
			.toList();
	}

	private Result acquireAnew(LockRequest request, Terms terms, Owner owner, CallingThread caller)
			throws InterruptedException {
		Acquisition acquisition = new Acquisition(this.engine, terms, owner, caller.patience(), caller);
		HoldHandle handle = run(acquisition, caller);
		return new Result(request, handle, caller.patience().waited(), acquisition.holder());
	}

	private @Nullable HoldHandle run(Acquisition acquisition, CallingThread caller) throws InterruptedException {
		this.engine.ensureOpen();
		Hold hold = caller.await(acquisition);
		return (hold != null) ? keep(hold, caller.patience()) : null;
	}

	/**
	 * Keep a hold, unless the engine has been closed meanwhile: then whoever closed it
	 * may not have seen the hold.
	 */
	HoldHandle keep(Hold hold, Patience patience) {
		HoldHandle handle = this.engine.keeper().keep(hold, patience.waited());
		if (this.engine.isClosed()) {
			handle.giveBack();
			this.engine.ensureOpen();
		}
		return handle;
	}

	/**
	 * What came of a request.
	 *
	 * @param handle the handle, or {@code null} when the lock was not acquired in time
	 * @param holder who held it instead, or {@code null} when that is not known
	 */
	record Result(LockRequest request, @Nullable LockHandle handle, Duration waited, @Nullable String holder) {

		/**
		 * Return the handle.
		 * @throws LockNotAcquiredException when there is none
		 */
		LockHandle orThrow() {
			if (this.handle == null) {
				throw new LockNotAcquiredException(LogText.keys(this.request.lockKeys()), this.waited, this.holder);
			}
			return this.handle;
		}

	}

}
