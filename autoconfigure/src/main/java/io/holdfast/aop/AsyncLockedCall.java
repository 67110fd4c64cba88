package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.holdfast.LockHandle;
import io.holdfast.aop.LockedMethod.Body;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes on after the method has returned, and waits for its locks without a
 * thread. They are acquired one inside the other; when one is not acquired, all are
 * released before anything else is done.
 */
final class AsyncLockedCall<T extends @Nullable Object> {

	private final LockRuntime runtime;

	private final CallLocks locks;

	private final Function<Body, CompletionStage<T>> start;

	AsyncLockedCall(LockRuntime runtime, List<PlannedLock> wanted, Function<Body, CompletionStage<T>> start) {
		this.runtime = runtime;
		this.locks = new CallLocks(wanted, runtime);
		this.start = start;
	}

	// The future completes when all locks are released. To complete it earlier keeps a
	// body that has not started from running, and to cancel it cancels one that has
	CompletableFuture<T> run(LockCall call, Body body) {
		CompletableFuture<T> locked = acquire(body);
		CompletableFuture<T> result = recovered(locked, (failure) -> instead(call, failure));
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
		return recovered(section, (failure) -> CompletableFuture.failedFuture(this.locks.reported(failure, held)));
	}

	private CompletionStage<T> proceed(LockHandle lock, Body body) {
		this.locks.acquired(lock);
		if (!this.locks.areComplete()) {
			return recovered(acquire(body), (failure) -> {
				this.locks.noteUnusedUnlessBegun(lock);
				return CompletableFuture.failedFuture(failure);
			});
		}
		this.locks.begin();
		return this.start.apply(body.again());
	}

	// Return a future that continues with another stage when the first one has failed. To
	// cancel it cancels the stage that it waits for
	private static <T extends @Nullable Object> CompletableFuture<T> recovered(CompletableFuture<T> first,
			Function<Throwable, CompletionStage<T>> recovery) {
		CompletableFuture<T> result = new CompletableFuture<>();
		cancelWith(result, first);
		first.exceptionallyCompose((failure) -> future(cancelWith(result, recovery.apply(unwrap(failure)))))
			.whenComplete((value, failure) -> complete(result, value, failure));
		return result;
	}

	// Not every stage can be asked for its future
	private static <T extends @Nullable Object> CompletableFuture<T> future(CompletionStage<T> stage) {
		CompletableFuture<T> future = new CompletableFuture<>();
		stage.whenComplete((value, failure) -> complete(future, value, failure));
		return future;
	}

	private static <T extends @Nullable Object> void complete(CompletableFuture<T> future, T value,
			@Nullable Throwable failure) {
		if (failure == null) {
			future.complete(value);
		}
		else {
			future.completeExceptionally(unwrap(failure));
		}
	}

	private static <S extends CompletionStage<?>> S cancelWith(CompletableFuture<?> result, S stage) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled() && stage instanceof Future<?> future) {
				future.cancel(true);
			}
		});
		return stage;
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
