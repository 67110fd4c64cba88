package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
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
	 * Acquire a lock.
	 * @throws InterruptedException when interrupted, if the patience is interruptible
	 */
	Result acquire(LockRequest request, Patience patience) throws InterruptedException {
		requireSupported(request);
		this.engine.acquisitions().begin();
		boolean answered = false;
		try {
			Result result = acquire(request, Terms.of(request, this.engine.settings()), patience);
			answered = (result.handle() != null);
			return result;
		}
		finally {
			this.engine.acquisitions().end();
			if (!answered) {
				this.engine.listeners().notAcquired(request, patience.waited());
			}
			patience.restoreInterrupt();
		}
	}

	private Result acquire(LockRequest request, Terms terms, Patience patience) throws InterruptedException {
		Owner owner = request.handleBound() ? this.engine.owners().newHandle() : this.engine.owners().currentThread();
		Hold present = this.engine.holds().find(terms.key(), owner);
		if (present != null) {
			LockHandle nested = this.engine.keeper().reenter(present, terms);
			if (nested != null) {
				return new Result(request, nested, patience.waited(), null);
			}
		}
		this.engine.ensureOpen();
		Acquisition acquisition = new Acquisition(this.engine, terms, owner, patience);
		Hold hold = acquisition.run();
		LockHandle handle = (hold != null) ? keep(hold, patience) : null;
		return new Result(request, handle, patience.waited(), acquisition.holder());
	}

	/**
	 * Keep a hold, unless the engine has been closed meanwhile: then whoever closed it
	 * may not have seen the hold.
	 */
	private LockHandle keep(Hold hold, Patience patience) {
		LockHandle handle = this.engine.keeper().keep(hold, patience.waited());
		if (this.engine.isClosed()) {
			handle.release();
			this.engine.ensureOpen();
		}
		return handle;
	}

	private static void requireSupported(LockRequest request) {
		refuse(request.lockKeys().size() > 1, "Locking several keys at once");
		refuse(request.mode() == LockMode.SHARED, "A shared lock");
		refuse(Boolean.TRUE.equals(request.ordered()), "A fair lock");
		refuse(request.minHold() != null, "Holding a lock for a least time (minHold)");
	}

	private static void refuse(boolean asked, String feature) {
		if (asked) {
			throw new UnsupportedOperationException(feature + " is not supported yet");
		}
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
				throw new LockNotAcquiredException(String.join(", ", this.request.lockKeys()), this.waited,
						this.holder);
			}
			return this.handle;
		}

	}

}
