package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A future that goes on with another stage when the first one has failed, and that
 * cancels the present one of the two when it is cancelled.
 *
 * @param <T> type of the result
 */
final class Recovery<T extends @Nullable Object> {

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
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
