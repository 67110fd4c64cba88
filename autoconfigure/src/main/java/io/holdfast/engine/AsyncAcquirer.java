package io.holdfast.engine;

import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.NotAcquiredReason;
import io.holdfast.engine.runtime.Background;
import org.jspecify.annotations.Nullable;

/**
 * Gets locks for callers that do something else meanwhile. Each lock is owned by its
 * handle.
 */
final class AsyncAcquirer {

	private final Requests requests;

	private final Acquirer acquirer;

	private final AsyncThreads threads;

	private final Background background;

	AsyncAcquirer(Requests requests, Acquirer acquirer, AsyncThreads threads, Background background) {
		this.requests = requests;
		this.acquirer = acquirer;
		this.threads = threads;
		this.background = background;
	}

	/**
	 * Acquire a lock.
	 * @return completes with the handle, on a thread that may block; a caller that
	 * completes it otherwise, be it by cancelling, does without the lock
	 */
	CompletableFuture<LockHandle> acquire(LockRequest request) {
		Deadline deadline = this.requests.deadline(request);
		Terms terms = this.requests.terms(request);
		Owner owner = this.requests.owners().newHandle();
		CompletableFuture<LockHandle> future = this.threads.newFuture();
		Acquirer.Result result = new Acquirer.Result(request, deadline);
		AsyncCaller caller = new AsyncCaller(this.threads, this.background,
				(sleeper) -> this.acquirer.newAcquisition(terms, owner, deadline, sleeper),
				(ended) -> conclude(result, deadline, ended, future));
		future.whenComplete((handle, failure) -> caller.cancel());
		this.requests.begin();
		try {
			caller.begin();
		}
		catch (RuntimeException | Error ex) {
			this.requests.end();
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
		this.requests.end();
		try {
			if (result.handle() == null) {
				this.requests.notAcquired(result.request(), deadline, reason(failure, future));
			}
		}
		finally {
			answer(result, failure, future);
		}
	}

	/**
	 * A caller that has completed its future itself does without the lock.
	 */
	private static NotAcquiredReason reason(@Nullable Throwable failure, CompletableFuture<LockHandle> future) {
		return (failure == null && future.isDone()) ? NotAcquiredReason.INTERRUPTED : Requests.reason(failure);
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
