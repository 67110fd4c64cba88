package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockUnavailableException;
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
	 * @param start starts the method, or the reaction when a lock is not acquired; the
	 * stage completes when that has ended
	 */
	AsyncLockedCall(LockRuntime runtime, List<PlannedLock> wanted, Function<Body, CompletionStage<T>> start) {
		this.runtime = runtime;
		this.locks = new CallLocks(wanted, runtime);
		this.start = start;
	}

	/**
	 * Run the call.
	 * @return completes when the call has ended and all locks are released. If it is
	 * completed by others before the body has started, the body does not run, and no lock
	 * is waited for any more. To cancel it later cancels what runs.
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
		boolean over = section.isDone() && !section.isCompletedExceptionally();
		this.runtime.requireRun(!over || this.locks.count() > held);
		return Recovery.of(section, (failure) -> CompletableFuture.failedFuture(reported(failure, held)));
	}

	private Throwable reported(Throwable failure, int held) {
		if (this.locks.count() != held) {
			return failure;
		}
		if (failure instanceof LockUnavailableException unavailable) {
			return this.locks.refused(unavailable);
		}
		return (failure instanceof LockNotAcquiredException refusal) ? this.locks.refused(refusal) : failure;
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

	/**
	 * A future that continues with another stage when the first one has failed. To cancel
	 * it cancels the stage that it waits for.
	 *
	 * @param <T> type of the result
	 */
	private static final class Recovery<T extends @Nullable Object> {

		private final CompletableFuture<T> result = new CompletableFuture<>();

		private volatile CompletionStage<T> present;

		private Recovery(CompletionStage<T> first) {
			this.present = first;
		}

		/**
		 * Return a future for a stage and what comes after its failure.
		 * @param recovery returns the stage to go on with
		 */
		static <T extends @Nullable Object> CompletableFuture<T> of(CompletionStage<T> first,
				Function<Throwable, CompletionStage<T>> recovery) {
			Recovery<T> future = new Recovery<>(first);
			first.whenComplete((value, failure) -> {
				if (failure == null) {
					future.result.complete(value);
				}
				else {
					future.goOn(unwrap(failure), recovery);
				}
			});
			future.result.whenComplete((value, failure) -> future.cancelPresent());
			return future.result;
		}

		private void goOn(Throwable failure, Function<Throwable, CompletionStage<T>> recovery) {
			CompletionStage<T> next = apply(recovery, failure);
			this.present = next;
			next.whenComplete((value, another) -> {
				if (another == null) {
					this.result.complete(value);
				}
				else {
					this.result.completeExceptionally(unwrap(another));
				}
			});
			cancelPresent();
		}

		private static <T extends @Nullable Object> CompletionStage<T> apply(
				Function<Throwable, CompletionStage<T>> recovery, Throwable failure) {
			try {
				return recovery.apply(failure);
			}
			catch (RuntimeException | Error ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		private void cancelPresent() {
			if (this.result.isCancelled() && this.present instanceof Future<?> future) {
				future.cancel(true);
			}
		}

		private static Throwable unwrap(Throwable failure) {
			return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
		}

	}

}
