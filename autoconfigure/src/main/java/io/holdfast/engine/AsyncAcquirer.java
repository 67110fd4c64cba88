package io.holdfast.engine;

import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.NotAcquiredReason;
import org.jspecify.annotations.Nullable;

/**
 * Gets locks for callers that do something else meanwhile. Each lock is owned by its
 * handle.
 */
final class AsyncAcquirer {

	private final Engine engine;

	private final Acquirer acquirer;

	/**
	 * Create an acquirer.
	 * @param acquirer knows how to keep what is acquired
	 */
	AsyncAcquirer(Engine engine, Acquirer acquirer) {
		this.engine = engine;
		this.acquirer = acquirer;
	}

	/**
	 * Acquire a lock.
	 * @return completes with the handle, on a thread that others may block; whoever
	 * completes it otherwise, be it by cancelling, does without the lock
	 */
	CompletableFuture<LockHandle> acquire(LockRequest request, Patience patience) {
		Terms terms = Terms.of(request, this.engine.settings());
		Owner owner = this.engine.owners().newHandle();
		CompletableFuture<LockHandle> result = this.engine.asyncThreads().newFuture();
		AsyncCaller caller = new AsyncCaller(this.engine.asyncThreads(), this.engine.background(),
				(sleeper) -> new Acquisition(this.engine, terms, owner, patience, sleeper),
				(acquisition, failure) -> this.engine.asyncThreads()
					.callBack(() -> conclude(request, patience, acquisition, failure, result)));
		this.engine.acquisitions().begin();
		try {
			caller.begin();
		}
		catch (RuntimeException | Error ex) {
			this.engine.acquisitions().end();
			throw ex;
		}
		result.whenComplete((handle, failure) -> caller.cancel());
		return result;
	}

	/**
	 * Listeners are told here, so it is no thread that others need to get or release
	 * locks. The caller gets an answer whatever they do.
	 */
	private void conclude(LockRequest request, Patience patience, Acquisition acquisition, @Nullable Throwable failure,
			CompletableFuture<LockHandle> result) {
		LockHandle handle = null;
		Throwable reason = failure;
		try {
			Hold hold = acquisition.hold();
			handle = (hold != null) ? this.acquirer.keep(hold, patience) : null;
		}
		catch (RuntimeException | Error ex) {
			reason = ex;
		}
		this.engine.acquisitions().end();
		try {
			if (handle == null) {
				this.engine.listeners().notAcquired(request, patience.waited(), reason(reason, result));
			}
		}
		finally {
			Acquirer.Result outcome = new Acquirer.Result(request, handle, patience.waited(), acquisition.holder());
			if (reason != null) {
				result.completeExceptionally(reason);
			}
			else {
				complete(outcome, result);
			}
		}
	}

	/**
	 * Return why there is no lock: a failure, or a caller that does without.
	 */
	private static NotAcquiredReason reason(@Nullable Throwable failure, CompletableFuture<LockHandle> result) {
		if (failure != null) {
			return NotAcquiredReason.UNAVAILABLE;
		}
		return result.isDone() ? NotAcquiredReason.INTERRUPTED : NotAcquiredReason.TIMEOUT;
	}

	private static void complete(Acquirer.Result outcome, CompletableFuture<LockHandle> result) {
		try {
			LockHandle handle = outcome.orThrow();
			if (!result.complete(handle)) {
				handle.giveBack();
			}
		}
		catch (LockNotAcquiredException ex) {
			result.completeExceptionally(ex);
		}
	}

}
