package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A method whose calls have ended when the stage completes that it returns. The stage
 * reports all failures. A method that has to wait for its lock is run on another thread.
 */
final class StageMethod extends LockedMethod {

	StageMethod(Method method, LockPlan plan, Supplier<LockTemplate> template) {
		super(method, plan, template);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		LockRequest request;
		try {
			request = plan().request(call);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return (request != null) ? run(request, call, body) : body.proceed();
	}

	// The future completes when the lock is released. If the caller completes it before,
	// a method that has not started does not run. If the caller cancels it, the method
	// is cancelled
	private CompletableFuture<@Nullable Object> run(LockRequest request, LockCall call, Body body) {
		CallState state = new CallState();
		CompletableFuture<@Nullable Object> section = template().executeAsync(request, (lock) -> {
			state.enter();
			return start(body.again());
		});
		if (section.isDone() && !section.isCompletedExceptionally()) {
			requireInside(state);
		}
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		cancelWith(result, section);
		section.whenComplete((value, failure) -> {
			complete(result, (unwrap(failure) instanceof LockException refusal && state.isRefusedBy(refusal))
					? start(() -> plan().react(call, refusal)) : section);
		});
		result.whenComplete((value, failure) -> {
			if (state.giveUp()) {
				section.cancel(true);
			}
		});
		return result;
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

	private static void complete(CompletableFuture<@Nullable Object> result, CompletionStage<@Nullable Object> stage) {
		cancelWith(result, stage);
		stage.whenComplete((value, failure) -> {
			Throwable cause = unwrap(failure);
			if (cause == null) {
				result.complete(value);
			}
			else {
				result.completeExceptionally(cause);
			}
		});
	}

	// Not every stage can be asked for its future
	private static void cancelWith(CompletableFuture<?> result, CompletionStage<?> stage) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled() && stage instanceof Future<?> future) {
				future.cancel(true);
			}
		});
	}

	private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
