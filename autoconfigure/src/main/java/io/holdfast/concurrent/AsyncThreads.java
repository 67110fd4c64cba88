package io.holdfast.concurrent;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The threads of callers that do not wait themselves. Those that ask the store run no
 * code of users but listeners of releases; all else runs on threads of its own, which may
 * block.
 *
 * @since 0.1.0
 */
public final class AsyncThreads {

	private final StoreThreads store;

	private final Executor callbacks;

	/**
	 * Create threads.
	 * @param store those that ask the store
	 * @param background makes the threads that may block
	 */
	public AsyncThreads(StoreThreads store, Background background) {
		this.store = store;
		this.callbacks = background.newUnlimitedExecutor("holdfast-callback");
	}

	/**
	 * Run a task that asks the store about keys.
	 * @param keys the keys
	 * @param task the task
	 */
	public void execute(List<String> keys, Runnable task) {
		this.store.execute(keys, task);
	}

	/**
	 * Run a task that asks the store about keys.
	 * @param keys the keys
	 * @param task the task
	 * @param <T> its result
	 * @return completes with the result, on a thread that may block
	 */
	public <T> CompletableFuture<T> call(List<String> keys, Supplier<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		execute(keys, () -> {
			try {
				T value = task.get();
				callBack(() -> result.complete(value));
			}
			catch (Throwable ex) {
				callBack(() -> result.completeExceptionally(ex));
			}
		});
		return result;
	}

	/**
	 * Create a future whose asynchronous stages run on threads that may block.
	 * @param <T> what it completes with
	 * @return the future
	 */
	public <T> CompletableFuture<T> newFuture() {
		return new Result<>(this.callbacks);
	}

	/**
	 * Run code of users, on this thread if there can be no other: a caller waits for it.
	 * @param callback the code
	 */
	public void callBack(Runnable callback) {
		boolean accepted = false;
		try {
			this.callbacks.execute(callback);
			accepted = true;
		}
		finally {
			if (!accepted) {
				callback.run();
			}
		}
	}

	private static final class Result<T> extends CompletableFuture<T> {

		private final Executor executor;

		private Result(Executor executor) {
			this.executor = executor;
		}

		@Override
		public Executor defaultExecutor() {
			return this.executor;
		}

	}

}
