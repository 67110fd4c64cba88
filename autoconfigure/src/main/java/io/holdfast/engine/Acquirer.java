package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockException;
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
		while (true) {
			Map<Hold, List<String>> present = this.engine.holds().find(terms.keys(), owner);
			if (present.isEmpty()) {
				return acquireAnew(request, terms, owner, patience);
			}
			LockHandle nested = reenter(present, terms);
			if (nested != null) {
				List<String> missing = terms.keys().stream().filter((key) -> !nested.keys().contains(key)).toList();
				return missing.isEmpty() ? new Result(request, nested, patience.waited(), null)
						: complete(nested, acquireMissing(nested, request, terms.on(missing), owner, patience), terms);
			}
		}
	}

	/**
	 * Acquire again what the owner holds already.
	 * @return the handle, or {@code null} when something of it turns out to be lost
	 */
	private @Nullable LockHandle reenter(Map<Hold, List<String>> present, Terms terms) {
		present.forEach((hold, keys) -> refuseUpgrade(hold, keys, terms));
		List<LockHandle> handles = new ArrayList<>(present.size());
		boolean complete = false;
		try {
			for (Map.Entry<Hold, List<String>> entry : present.entrySet()) {
				LockHandle handle = this.engine.keeper().reenter(entry.getKey(), terms.on(entry.getValue()));
				if (handle == null) {
					return null;
				}
				handles.add(handle);
			}
			complete = true;
			return (handles.size() == 1) ? handles.get(0) : new JointHandle(terms, handles);
		}
		finally {
			if (!complete) {
				handles.forEach(LockHandle::release);
			}
		}
	}

	/**
	 * Two readers that both wait for the other to let go would wait forever.
	 */
	private static void refuseUpgrade(Hold hold, List<String> keys, Terms terms) {
		if (terms.mode() == LockMode.EXCLUSIVE && hold.mode() == LockMode.SHARED && hold.isHeld()) {
			throw new LockException("The exclusive lock of '%s' cannot be acquired by %s, which holds the shared one: "
				.formatted(String.join(", ", keys), hold.owner().threadName())
					+ "release that first, or acquire the exclusive lock from the beginning");
		}
	}

	private Result acquireMissing(LockHandle nested, LockRequest request, Terms terms, Owner owner, Patience patience)
			throws InterruptedException {
		boolean acquired = false;
		try {
			Result result = acquireAnew(request, terms, owner, patience);
			acquired = (result.handle() != null);
			return result;
		}
		finally {
			if (!acquired) {
				nested.release();
			}
		}
	}

	private static Result complete(LockHandle nested, Result rest, Terms terms) {
		LockHandle handle = rest.handle();
		return (handle != null)
				? new Result(rest.request(), new JointHandle(terms, List.of(nested, handle)), rest.waited(), null)
				: rest;
	}

	private Result acquireAnew(LockRequest request, Terms terms, Owner owner, Patience patience)
			throws InterruptedException {
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
