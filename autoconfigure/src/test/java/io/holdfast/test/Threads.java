package io.holdfast.test;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Runs parts of a test on threads of their own.
 */
public final class Threads {

	private static final long LIMIT_SECONDS = 180;

	private Threads() {
	}

	public static <T extends @Nullable Object> CompletableFuture<T> start(Callable<T> action) {
		CompletableFuture<T> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(action.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}, "test-thread");
		thread.setDaemon(true);
		thread.start();
		return result;
	}

	/**
	 * Run on a new thread and wait for the result; what the thread throws is thrown here.
	 */
	public static <T extends @Nullable Object> T call(Callable<T> action) {
		return join(start(action));
	}

	/**
	 * Wait for a result; what its thread throws is thrown here.
	 */
	public static <T extends @Nullable Object> T join(CompletableFuture<T> result) {
		try {
			return result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the threads whose names begin like this, apart from those that were there
	 * before: Spring keeps the applications of other tests running.
	 */
	public static Set<Thread> named(String prefix, Set<Thread> before) {
		Set<Thread> threads = named(prefix);
		threads.removeAll(before);
		return threads;
	}

	public static Set<Thread> named(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.collect(Collectors.toSet());
	}

	public static void await(CountDownLatch latch) {
		try {
			if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Waited in vain");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
