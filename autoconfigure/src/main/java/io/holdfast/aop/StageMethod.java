package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A method whose calls have ended when the stage completes that it returns. The stage
 * reports all failures. A method that has to wait for its lock is run on another thread.
 */
final class StageMethod extends LockedMethod {

	StageMethod(Method method, LockPlan plan, LockRuntime runtime) {
		super(method, plan, runtime);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		List<PlannedLock> wanted;
		try {
			wanted = locks(call);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return wanted.isEmpty() ? body.proceed()
				: new AsyncLockedCall<>(runtime(), wanted, StageMethod::start).run(call, body);
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> start(Body body) {
		try {
			CompletionStage<@Nullable Object> stage = (CompletionStage<@Nullable Object>) body.proceed();
			Assert.state(stage != null, "A method that runs under a lock returned null instead of a stage");
			return stage;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
