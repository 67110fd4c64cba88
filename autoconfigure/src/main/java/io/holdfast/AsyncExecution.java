package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Asynchronous code that runs under a lock: the lock is acquired, the code started, and
 * the lock released when the stage that the code returned has completed. Only then does
 * the caller see a result.
 *
 * @param <T> type of the result
 */
final class AsyncExecution<T extends @Nullable Object> {

	private final OnLost onLost;

	private final Function<LockHandle, LockSection> observation;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private volatile @Nullable Future<?> stage;

	private AsyncExecution(OnLost onLost, Function<LockHandle, LockSection> observation) {
		this.onLost = onLost;
		this.observation = observation;
	}

	/**
	 * Run code.
	 * @param observation told that the code begins
	 * @return completes with the code's result. When it is completed otherwise before the
	 * code has started, the code does not run; when it is cancelled later, so is the
	 * stage that the code returned.
	 */
	static <T extends @Nullable Object> CompletableFuture<T> start(CompletableFuture<LockHandle> acquisition,
			OnLost onLost, Function<LockHandle, LockSection> observation,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		AsyncExecution<T> execution = new AsyncExecution<>(onLost, observation);
		Executor executor = executor(acquisition);
		acquisition.whenComplete((lock, failure) -> {
			if (failure != null) {
				execution.result.completeExceptionally(failure);
			}
			else {
				execution.run(executor, lock, action);
			}
		});
		execution.result.whenComplete((value, failure) -> {
			acquisition.cancel(false);
			execution.cancelStageIfCancelled();
		});
		return execution.result;
	}

	/**
	 * Return what runs code on the thread that completes an acquisition, unless that is
	 * the present one: it finds an acquisition completed already and must not be blocked.
	 */
	private static Executor executor(CompletableFuture<LockHandle> acquisition) {
		Thread caller = Thread.currentThread();
		return (task) -> {
			if (Thread.currentThread() == caller) {
				acquisition.defaultExecutor().execute(task);
			}
			else {
				task.run();
			}
		};
	}

	/**
	 * Without a thread to run the code, the lock is given back.
	 */
	private void run(Executor executor, LockHandle lock, Function<LockHandle, ? extends CompletionStage<T>> action) {
		try {
			executor.execute(() -> run(lock, action));
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

	private void run(LockHandle lock, Function<LockHandle, ? extends CompletionStage<T>> action) {
		if (this.result.isDone()) {
			lock.giveBack();
			return;
		}
		LockSection section = this.observation.apply(lock);
		CompletionStage<T> started = call(lock, section, action);
		releaseAfter(started, lock, section);
		this.stage = asFuture(started);
		cancelStageIfCancelled();
	}

	private static <T extends @Nullable Object> CompletionStage<T> call(LockHandle lock, LockSection section,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		LockSection.Scope scope = section.open();
		try {
			CompletionStage<T> started = action.apply(lock);
			return (started != null) ? started : CompletableFuture.failedFuture(
					new IllegalStateException("The code to run under a lock returned null in place of a stage"));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			scope.close();
		}
	}

	/**
	 * A stage that is no future cannot be cancelled: the lock is kept until it completes.
	 */
	private static @Nullable Future<?> asFuture(CompletionStage<?> stage) {
		return (stage instanceof Future<?> future) ? future : null;
	}

	private void cancelStageIfCancelled() {
		Future<?> running = this.stage;
		if (running != null && this.result.isCancelled()) {
			running.cancel(true);
		}
	}

	/**
	 * A stage of others that cannot say when it completes must not keep the lock for
	 * ever: that is a failure of the code.
	 */
	private void releaseAfter(CompletionStage<T> started, LockHandle lock, LockSection section) {
		try {
			started.whenComplete((value, failure) -> release(lock, section, value, failure));
		}
		catch (Throwable ex) {
			CompletableFuture.<T>failedFuture(ex)
				.whenComplete((value, failure) -> release(lock, section, value, failure));
		}
	}

	private void release(LockHandle lock, LockSection section, T value, @Nullable Throwable failure) {
		Throwable own = (failure != null) ? unwrap(failure) : null;
		release(lock).thenAccept((ending) -> {
			section.end(ending.result(), (own != null) ? own : ending.trouble());
			Throwable told = ending.told(this.onLost);
			Throwable outcome = (own != null) ? suppressing(own, told) : told;
			if (outcome != null) {
				this.result.completeExceptionally(outcome);
			}
			else {
				this.result.complete(value);
			}
		});
	}

	/**
	 * Release the lock.
	 * @return completes in any case, so that the caller is told something whatever
	 * happens
	 */
	private static CompletionStage<Ending> release(LockHandle lock) {
		try {
			return lock.releaseAsync()
				.thenApply((result) -> Ending.of(lock, result))
				.exceptionally((ex) -> Ending.failed(unwrap(ex)));
		}
		catch (Throwable ex) {
			return CompletableFuture.completedFuture(Ending.failed(ex));
		}
	}

	private static Throwable suppressing(Throwable failure, @Nullable Throwable other) {
		if (other != null && other != failure) {
			failure.addSuppressed(other);
		}
		return failure;
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
