package io.holdfast.actuate;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Asks the store on threads of its own, and waits at most two seconds for an answer,
 * whatever the client's timeout is. A call that does not return is abandoned; one that
 * has not begun by then is not carried out.
 */
final class TimedCalls {

	static final Duration TIMEOUT = Duration.ofSeconds(2);

	static final String THREADS = "holdfast-actuator";

	private static final int MOST_ASKING = 2;

	private static final int MOST_WAITING = 100;

	private final ThreadPoolExecutor threads = DaemonThreads.pool(THREADS, MOST_ASKING, MOST_WAITING);

	<T extends @Nullable Object> T call(Callable<T> question) {
		FutureTask<T> task = new FutureTask<>(question);
		try {
			this.threads.execute(task);
			return answer(task);
		}
		catch (RejectedExecutionException ex) {
			throw new LockStoreException("Too many requests are waiting for an answer from Redis", ex, true);
		}
		finally {
			// Without an interrupt: clients could regard their connection as broken
			task.cancel(false);
			this.threads.remove(task);
		}
	}

	static <T extends @Nullable Object> T answer(Future<T> task) {
		try {
			return task.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			Throwable cause = ex.getCause();
			if (cause instanceof RuntimeException || cause instanceof Error) {
				ReflectionUtils.rethrowRuntimeException(cause);
			}
			throw new LockStoreException(String.valueOf(cause), ex, true);
		}
		catch (TimeoutException ex) {
			throw new LockStoreException("Redis did not answer within %d ms".formatted(TIMEOUT.toMillis()), ex, true);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockStoreException("Interrupted while waiting for an answer from Redis", ex, true);
		}
	}

	void close() {
		DaemonThreads.endIdle(this.threads);
	}

}
