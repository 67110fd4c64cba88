package io.holdfast.aop;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockedCall} that goes on after the method has returned, and waits for its
 * locks without a thread.
 *
 * @param <T> type of the result
 */
final class AsyncLockedCall<T extends @Nullable Object> {

	private final MethodCall call;

	private final CallLocks locks;

	private final Function<Body, CompletionStage<T>> start;

	/**
	 * Create a call that begins now.
	 * @param start starts what is to be run, be it the call or what is run instead when a
	 * lock is not acquired; the stage completes when that has ended
	 */
	AsyncLockedCall(MethodCall call, Function<Body, CompletionStage<T>> start) {
		this.call = call;
		this.locks = new CallLocks(call.runtime());
		this.start = start;
	}

	/**
	 * Run the call.
	 * @return completes when all has ended and all locks are released. When it is
	 * completed otherwise before the body has started, that does not run, and no lock is
	 * waited for any more; to cancel it later is to cancel what runs.
	 */
	CompletableFuture<T> run(List<PlannedLock> wanted) {
		CompletableFuture<T> locked = acquire(wanted.iterator());
		CompletableFuture<T> result = Recovery.of(locked, this::instead);
		result.whenComplete((value, failure) -> {
			if (this.locks.abandon()) {
				locked.cancel(true);
			}
		});
		return result;
	}

	private CompletionStage<T> instead(Throwable failure) {
		Body instead = this.locks.instead(this.call.call());
		return (instead != null) ? this.start.apply(instead) : CompletableFuture.failedFuture(failure);
	}

	private CompletableFuture<T> acquire(Iterator<PlannedLock> wanted) {
		int before = this.locks.count();
		PlannedLock next = wanted.next();
		CompletableFuture<T> section = this.call.runtime()
			.template()
			.get()
			.executeAsync(this.locks.request(next), (lock) -> holding(lock, wanted));
		return Recovery.of(section, (failure) -> CompletableFuture.failedFuture(told(next, failure, before)));
	}

	private Throwable told(PlannedLock lock, Throwable failure, int before) {
		return (failure instanceof LockNotAcquiredException refusal && this.locks.count() == before)
				? this.locks.refused(lock, refusal) : failure;
	}

	private CompletionStage<T> holding(LockHandle lock, Iterator<PlannedLock> wanted) {
		this.locks.acquired(lock);
		if (wanted.hasNext()) {
			return Recovery.of(acquire(wanted), (failure) -> {
				this.locks.noteUnusedUnlessBegun(lock);
				return CompletableFuture.failedFuture(failure);
			});
		}
		this.locks.begin();
		return this.start.apply(this.call.body().again());
	}

}
