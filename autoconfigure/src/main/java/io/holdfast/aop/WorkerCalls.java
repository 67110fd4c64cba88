package io.holdfast.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

/**
 * Calls of {@link org.springframework.scheduling.annotation.Async} methods, which get
 * here on the thread that does the work, and whose caller waits elsewhere: they lock on
 * this thread. If they return work that goes on, they have ended when that has; Spring
 * has this thread wait for it anyway.
 */
final class WorkerCalls implements CallKind {

	private final CallKind plain = new PlainCalls();

	@Override
	public @Nullable Object run(MethodCall call) throws Throwable {
		return this.plain.run(new MethodCall(call.runtime(), call.call(), call.locks(), () -> awaited(call.proceed())));
	}

	private static @Nullable Object awaited(@Nullable Object result) throws InterruptedException {
		if (result instanceof Future<?> future) {
			try {
				future.get();
			}
			catch (ExecutionException | CancellationException ex) {
				// whoever gets the result finds out
			}
		}
		return result;
	}

}
