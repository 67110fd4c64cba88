package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

/**
 * A method with {@link org.springframework.scheduling.annotation.Async}. Its calls get
 * here on the thread that does the work, and lock there; their caller waits on another
 * one. When the method returns a future, a call has ended when that is done: Spring has
 * this thread wait for it anyway.
 */
final class WorkerMethod extends PlainMethod {

	WorkerMethod(Method method, LockPlan plan, Supplier<LockTemplate> template) {
		super(method, plan, template);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		Object result = super.run(call, body);
		return (result instanceof Ended ended) ? ended.future() : result;
	}

	@Override
	@Nullable Object proceed(LockHandle lock, Body body) throws Throwable {
		Object result = super.proceed(lock, body);
		if (result instanceof Future<?> future) {
			awaitEnd(future, lock);
			return new Ended(future);
		}
		return result;
	}

	// The work goes on when this thread is interrupted, and needs the lock while that is
	// held
	private static void awaitEnd(Future<?> future, LockHandle lock) {
		boolean interrupted = false;
		try {
			while (!interrupted || lock.isHeld()) {
				try {
					future.get();
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException | CancellationException ex) {
					return; // the caller finds it in the result
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private record Ended(Future<?> future) {
	}

}
