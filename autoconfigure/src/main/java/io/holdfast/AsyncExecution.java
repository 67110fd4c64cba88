package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Asynchronous code that runs under a lock: the lock is acquired, the code started, and
 * the lock released when the stage that the code returned has completed. Only then does
 * the caller see a result.
 */
final class AsyncExecution<T extends @Nullable Object> {

	private final OnLost onLost;

	private final @Nullable SectionObservation observation;

	private final Function<LockHandle, ? extends CompletionStage<T>> action;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private AsyncExecution(OnLost onLost, @Nullable SectionObservation observation,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		this.onLost = onLost;
		this.observation = observation;
		this.action = action;
	}

	// The code runs on the thread that completes the acquisition, or on another one if
	// that is the caller's, which must not be blocked. If the caller completes the result
	// first, the code does not run; if it cancels it later, the stage is cancelled too
	static <T extends @Nullable Object> CompletableFuture<T> start(CompletableFuture<LockHandle> acquisition,
			Binding binding, OnLost onLost, @Nullable SectionObservation observation,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		AsyncExecution<T> execution = new AsyncExecution<>(onLost, observation, action);
		Thread caller = Thread.currentThread();
		acquisition.whenComplete((lock, failure) -> {
			if (failure != null) {
				execution.result.completeExceptionally(failure);
			}
			else {
				boolean mayBlock = Thread.currentThread() != caller;
				Executor threads = acquisition.defaultExecutor();
				execution.startOn(mayBlock ? Runnable::run : threads, binding.bind(lock, threads));
			}
		});
		execution.result.whenComplete((value, failure) -> acquisition.cancel(false));
		return execution.result;
	}

	// If no thread can run the code, release the lock
	private void startOn(Executor executor, LockHandle lock) {
		try {
			executor.execute(() -> run(lock));
		}
		catch (Throwable ex) {
			try {
				lock.giveBack();
			}
			finally {
				this.result.completeExceptionally(ex);
			}
		}
	}

	// A stage that is not a future cannot be cancelled: the lock stays until it completes
	private void run(LockHandle lock) {
		if (this.result.isDone()) {
			lock.giveBack();
			return;
		}
		GuardedSection section = new GuardedSection(lock, this.onLost, this.observation);
		CompletionStage<T> started = call(section);
		whenComplete(started, (value, failure) -> end(lock, section, value, unwrap(failure)));
		if (started instanceof Future<?> future) {
			this.result.whenComplete((value, failure) -> {
				if (this.result.isCancelled()) {
					future.cancel(true);
				}
			});
		}
	}

	private CompletionStage<T> call(GuardedSection section) {
		try {
			CompletionStage<T> started = section.run(this.action::apply);
			return (started != null) ? started : CompletableFuture.failedFuture(
					new IllegalStateException("The code to run under a lock returned null instead of a stage"));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			section.leave();
		}
	}

	// A stage whose whenComplete throws must not hold the lock forever: treat that as a
	// failure of the code
	private void whenComplete(CompletionStage<T> started, BiConsumer<T, @Nullable Throwable> end) {
		try {
			started.whenComplete(end);
		}
		catch (Throwable ex) {
			CompletableFuture.<T>failedFuture(ex).whenComplete(end);
		}
	}

	// The result completes whichever step throws an exception
	private void end(LockHandle lock, GuardedSection section, T value, @Nullable Throwable failure) {
		CompletableFuture.completedFuture(lock)
			.thenCompose(LockHandle::releaseAsync)
			.whenComplete((released, thrown) -> {
				Throwable outcome;
				try {
					outcome = section.end(failure, released, unwrap(thrown));
				}
				catch (Throwable ex) {
					outcome = ex;
				}
				if (outcome != null) {
					this.result.completeExceptionally(outcome);
				}
				else {
					this.result.complete(value);
				}
			});
	}

	private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	@FunctionalInterface
	interface Binding {

		Binding NONE = (lock, executor) -> lock;

		// Returns the handle for the code. The executor has threads that may block
		LockHandle bind(LockHandle lock, Executor executor);

	}

}
