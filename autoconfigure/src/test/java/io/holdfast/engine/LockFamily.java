package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.test.Threads;

import static org.awaitility.Awaitility.await;

/**
 * Two instances that share a store, and what tests of all kinds of locks ask of them.
 */
interface LockFamily {

	TestInstance one();

	TestInstance two();

	String key();

	default String other() {
		return "other-" + key();
	}

	LockStores kept();

	/**
	 * Create an instance whose places in queues last, also on a machine that stands still
	 * for a moment: for what depends on their order.
	 */
	default TestInstance patient() {
		return closing(new TestInstance(kept()::open, AbstractStoreTests.LONG_POLL));
	}

	TestInstance closing(TestInstance instance);

	default LockRequest exclusive() {
		return LockRequest.of(key()).waitFor(Duration.ofSeconds(30));
	}

	default LockRequest shared() {
		return exclusive().shared();
	}

	default LockRequest oneTry(LockRequest request) {
		return request.waitFor(Duration.ZERO);
	}

	default boolean isDenied(TestInstance instance, LockRequest request) {
		return Threads.call(() -> instance.template().tryAcquire(oneTry(request)).map((lock) -> {
			lock.close();
			return lock;
		})).isEmpty();
	}

	default CompletableFuture<LockHandle> acquire(TestInstance instance, LockRequest request) {
		return Threads.start(() -> instance.template().acquire(request));
	}

	default void awaitQueued(String name, int waiters) {
		await().until(() -> kept().isQueued(name, waiters));
	}

	default LockRequest both() {
		return LockRequest.of(key(), other()).waitFor(Duration.ofSeconds(30));
	}

}
