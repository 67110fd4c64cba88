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
		return super.run(call, () -> awaited(body.proceed()));
	}

	private static @Nullable Object awaited(@Nullable Object result) throws InterruptedException {
		if (result instanceof Future<?> future) {
			try {
				future.get();
			}
			catch (ExecutionException | CancellationException ex) {
				// the caller finds it in the result
			}
		}
		return result;
	}

}
