package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.aop.LockedMethod.Body;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes on after the method has returned, and waits for its locks without a
 * thread. They are acquired one inside the other; when one is not acquired, all are
 * released before anything else is done.
 *
 * @param <T> type of the result
 */
final class AsyncLockedCall<T extends @Nullable Object> {

	private final LockRuntime runtime;

	private final CallLocks locks;

	private final Function<Body, CompletionStage<T>> start;

	/**
	 * Create a call that begins now.
	 * @param wanted the locks to acquire, outermost first
	 * @param start starts what is to be run, be it the call or what is run instead when a
	 * lock is not acquired; the stage completes when that has ended
	 */
	AsyncLockedCall(LockRuntime runtime, List<PlannedLock> wanted, Function<Body, CompletionStage<T>> start) {
		this.runtime = runtime;
		this.locks = new CallLocks(wanted, runtime);
		this.start = start;
	}

	/**
	 * Run the call.
	 * @return completes when all has ended and all locks are released. When it is
	 * completed otherwise before the body has started, that does not run, and no lock is
	 * waited for any more; to cancel it later is to cancel what runs.
	 */
	CompletableFuture<T> run(LockCall call, Body body) {
		CompletableFuture<T> locked = acquire(body);
		CompletableFuture<T> result = Recovery.of(locked, (failure) -> instead(call, failure));
		result.whenComplete((value, failure) -> {
			if (this.locks.abandon()) {
				locked.cancel(true);
			}
		});
		return result;
	}

	private CompletionStage<T> instead(LockCall call, Throwable failure) {
		CallLocks.Refusal refusal = this.locks.refusal();
		return (refusal != null) ? this.start.apply(() -> refusal.react(call))
				: CompletableFuture.failedFuture(failure);
	}

	private CompletableFuture<T> acquire(Body body) {
		int held = this.locks.count();
		CompletableFuture<T> section = this.runtime.template()
			.executeAsync(this.locks.next(), (lock) -> proceed(lock, body));
		return Recovery.of(section, (failure) -> CompletableFuture.failedFuture(reported(failure, held)));
	}

	private Throwable reported(Throwable failure, int held) {
		return (failure instanceof LockNotAcquiredException refusal && this.locks.count() == held)
				? this.locks.refused(refusal) : failure;
	}

	private CompletionStage<T> proceed(LockHandle lock, Body body) {
		this.locks.acquired(lock);
		if (!this.locks.areComplete()) {
			return Recovery.of(acquire(body), (failure) -> {
				this.locks.noteUnusedUnlessBegun(lock);
				return CompletableFuture.failedFuture(failure);
			});
		}
		this.locks.begin();
		return this.start.apply(body.again());
	}

}
