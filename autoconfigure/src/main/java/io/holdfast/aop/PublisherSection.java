package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What becomes of one subscription to a publisher that runs under locks: the locks are
 * acquired, the method is run and what it returns is subscribed to, and when that is done
 * the locks are released.
 */
final class PublisherSection {

	/**
	 * Gets what to subscribe to.
	 */
	private final CompletableFuture<Object> publisher = new CompletableFuture<>();

	/**
	 * Completed by the subscriber.
	 */
	private final CompletableFuture<@Nullable Object> work = new CompletableFuture<>();

	/**
	 * Completes when the work is done and the locks are released.
	 */
	private final CompletableFuture<@Nullable Object> end;

	/**
	 * Begin a subscription.
	 */
	PublisherSection(MethodCall call) {
		List<PlannedLock> locks = call.locks().get();
		this.end = locks.isEmpty() ? publish(call.body().again()).toCompletableFuture()
				: new AsyncLockedCall<>(call, this::publish).run(locks);
		this.end.whenComplete((done, failure) -> {
			if (failure != null) {
				this.publisher.completeExceptionally(failure);
			}
		});
	}

	/**
	 * Let what a method returns be subscribed to.
	 * @return completes when that is done
	 */
	private CompletionStage<@Nullable Object> publish(Body body) {
		try {
			Object result = body.proceed();
			Assert.state(result != null, "A method that runs under a lock returned null in place of a publisher");
			this.publisher.complete(result);
			return this.work;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return what to subscribe to, once it is there.
	 */
	CompletableFuture<Object> publisher() {
		return this.publisher;
	}

	/**
	 * The publisher has completed.
	 * @return completes when the locks are released, and fails when one was lost
	 */
	CompletableFuture<?> complete() {
		this.work.complete(null);
		return this.end;
	}

	/**
	 * The publisher has failed.
	 * @return completes when the locks are released
	 */
	CompletableFuture<?> fail(Throwable failure) {
		this.work.completeExceptionally(failure);
		return this.end.handle((done, ended) -> null);
	}

	/**
	 * The subscriber has cancelled: do without locks that are not held yet, release those
	 * that are.
	 */
	void cancel() {
		this.end.cancel(true);
	}

}
