package io.holdfast.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.store.LockStore;

/**
 * The threads that work for callers who do not wait themselves. A few of them talk to
 * each server of the store; of the code of others, which may block, only listeners of
 * releases run there. All else runs on threads of its own, as many as it takes.
 */
final class AsyncThreads {

	private static final int THREADS_OF_A_SERVER = 4;

	private final Lanes store;

	private final Executor callbacks;

	AsyncThreads(LockStore store, Background background) {
		this.store = new Lanes(store, background, "holdfast-async", THREADS_OF_A_SERVER);
		this.callbacks = background.newUnlimitedExecutor("holdfast-callback");
	}

	/**
	 * Run a task that talks to the store about keys.
	 */
	void execute(List<String> keys, Runnable task) {
		this.store.of(keys).execute(task);
	}

	/**
	 * Run a task that talks to the store about keys.
	 * @return completes with its result, on a thread that others may block
	 */
	<T> CompletableFuture<T> call(List<String> keys, Supplier<T> task) {
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
	 * Create a future that runs what is to follow it asynchronously on a thread that
	 * others may block.
	 */
	<T> CompletableFuture<T> newFuture() {
		return new Result<>(this.callbacks);
	}

	/**
	 * Run code of others. If there is not even the memory to remember that, it runs here:
	 * somebody waits for it.
	 * @param callback does nothing when it is run once more
	 */
	void callBack(Runnable callback) {
		try {
			this.callbacks.execute(callback);
		}
		catch (Throwable ex) {
			callback.run();
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
