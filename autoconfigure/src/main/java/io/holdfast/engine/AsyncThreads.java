package io.holdfast.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Threads for asynchronous callers. Code of users runs on threads of its own, which may
 * block; only listeners of releases run on those that ask the store.
 */
final class AsyncThreads {

	private final StoreThreads store;

	private final Executor callbacks;

	AsyncThreads(StoreThreads store, Background background) {
		this.store = store;
		this.callbacks = background.newExecutor("holdfast-callback", EngineRuntime.UNLIMITED);
	}

	// The result completes on a thread that may block
	<T> CompletableFuture<T> call(List<String> keys, Supplier<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.store.execute(keys, () -> {
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

	// Its asynchronous stages run on threads that may block
	<T> CompletableFuture<T> newFuture(RequestContext context) {
		return new Result<>((stage) -> this.callbacks.execute(() -> context.run(stage)));
	}

	// Runs code of users. If there can be no other thread, this one does: a caller waits
	// for it
	void callBack(Runnable callback) {
		boolean accepted = false;
		try {
			onOtherThread(callback);
			accepted = true;
		}
		finally {
			if (!accepted) {
				callback.run();
			}
		}
	}

	// On a thread that may block. Fails if there can be none
	void onOtherThread(Runnable task) {
		this.callbacks.execute(task);
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
