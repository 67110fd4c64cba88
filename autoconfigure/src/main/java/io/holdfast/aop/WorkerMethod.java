package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

/**
 * A method with {@link org.springframework.scheduling.annotation.Async}. Its calls get
 * here on the thread that does the work, and lock there; their caller waits on another
 * one. When the method returns a future, a call has ended when that is done: Spring has
 * this thread wait for it anyway.
 */
final class WorkerMethod extends PlainMethod {

	WorkerMethod(Method method, LockPlan plan, LockRuntime runtime) {
		super(method, plan, runtime);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		return super.run(call, () -> {
			Object result = body.proceed();
			if (result instanceof Future<?> future) {
				awaitEnd(future);
			}
			return result;
		});
	}

	/**
	 * What the future stands for runs on when this thread is interrupted, and needs the
	 * lock.
	 */
	private static void awaitEnd(Future<?> future) {
		boolean interrupted = false;
		try {
			while (true) {
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

}
