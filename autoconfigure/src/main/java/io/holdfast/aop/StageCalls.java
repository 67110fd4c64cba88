package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Calls that have ended when the stage completes that the method returns. All that goes
 * wrong is told by the stage. A method that is not run at once is run on another thread.
 */
final class StageCalls implements CallKind {

	@Override
	public @Nullable Object run(MethodCall call) throws Throwable {
		List<PlannedLock> locks;
		try {
			locks = call.locks().get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return locks.isEmpty() ? call.proceed() : new AsyncLockedCall<>(call, StageCalls::start).run(locks);
	}

	/**
	 * Start what returns a stage, or throws an exception instead.
	 */
	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> start(Body body) {
		try {
			CompletionStage<@Nullable Object> stage = (CompletionStage<@Nullable Object>) body.proceed();
			Assert.state(stage != null, "A method that runs under a lock returned null in place of a stage");
			return stage;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
