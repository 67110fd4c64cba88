package io.holdfast.engine;

import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
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
	CompletableFuture<LockHandle> acquire(LockRequest request, Deadline deadline) {
		Terms terms = Terms.of(request, this.engine.settings());
		Owner owner = this.engine.owners().newHandle();
		CompletableFuture<LockHandle> future = this.engine.asyncThreads().newFuture();
		Acquirer.Result result = new Acquirer.Result(request, deadline);
		AsyncCaller caller = new AsyncCaller(this.engine.asyncThreads(), this.engine.background(),
				(sleeper) -> new Acquisition(this.engine, terms, owner, deadline, sleeper),
				(ended) -> conclude(result, deadline, ended, future));
		future.whenComplete((handle, failure) -> caller.cancel());
		this.engine.acquisitions().begin();
		try {
			caller.begin();
		}
		catch (RuntimeException | Error ex) {
			this.engine.acquisitions().end();
			throw ex;
		}
		return future;
	}

	/**
	 * Listeners are told here, so it is no thread that others need to get or release
	 * locks. The caller gets an answer whatever they do.
	 */
	private void conclude(Acquirer.Result result, Deadline deadline, AsyncCaller caller,
			CompletableFuture<LockHandle> future) {
		Throwable failure = caller.failure();
		try {
			Hold hold = caller.hold();
			result.handle((hold != null) ? this.acquirer.keep(hold, deadline) : null);
			result.holder(caller.holder());
		}
		catch (Throwable ex) {
			failure = ex;
		}
		this.engine.acquisitions().end();
		try {
			if (result.handle() == null) {
				this.engine.listeners().notAcquired(result.request(), deadline.waited(), reason(failure, future));
			}
		}
		finally {
			answer(result, failure, future);
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

	private static void answer(Acquirer.Result result, @Nullable Throwable failure,
			CompletableFuture<LockHandle> future) {
		if (failure != null && result.handle() == null) {
			future.completeExceptionally(failure);
			return;
		}
		try {
			LockHandle handle = result.orThrow();
			if (!future.complete(handle)) {
				handle.giveBack();
			}
		}
		catch (Throwable ex) {
			future.completeExceptionally(ex);
		}
	}

}
