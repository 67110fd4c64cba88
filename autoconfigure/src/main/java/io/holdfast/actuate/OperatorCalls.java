package io.holdfast.actuate;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.ReflectionUtils;

/**
 * Asks the store on other threads, so that an operator gets an answer in time even if it
 * hangs. They are not interrupted, which could break their connections.
 */
final class OperatorCalls {

	static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("holdfast-actuator-");

	OperatorCalls(int most) {
		this.threads.setDaemon(true);
		this.threads.setConcurrencyLimit(most);
		this.threads.setRejectTasksWhenLimitReached(true);
	}

	<T extends @Nullable Object> T call(Callable<T> question) {
		return answer(ask(question));
	}

	<T extends @Nullable Object> Future<T> ask(Callable<T> question) {
		try {
			return this.threads.submit(question);
		}
		catch (RejectedExecutionException ex) {
			throw new LockStoreException("Too many requests are waiting for an answer from Redis or the database", ex,
					true);
		}
	}

	static <T extends @Nullable Object> T answer(Future<T> asked) {
		try {
			return asked.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			ReflectionUtils.rethrowRuntimeException(ex.getCause());
			throw new IllegalStateException(ex);
		}
		catch (TimeoutException ex) {
			throw new LockStoreException(
					"Redis or the database did not answer within %d ms".formatted(TIMEOUT.toMillis()), ex, true);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockStoreException("Interrupted while waiting for an answer from Redis or the database", ex,
					true);
		}
	}

}
