package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;

import static org.awaitility.Awaitility.await;

/**
 * Two instances that share a store. The instance {@code one} talks to it over a bad
 * network, {@code two} over a good one.
 */
abstract class AbstractNetworkTests extends AbstractStoreTests {

	FaultyStore network;

	@Override
	TestInstance firstInstance() {
		AtomicReference<FaultyStore> faulty = new AtomicReference<>();
		TestInstance instance = closing(TestInstance.passing((id) -> {
			faulty.set(new FaultyStore(stores().open(id)));
			return faulty.get();
		}, handoverCheck()));
		this.network = faulty.get();
		return instance;
	}

	/**
	 * Return for how long {@code one} passes a lock on without asking.
	 */
	Duration handoverCheck() {
		return Duration.ofMillis(50);
	}

	/**
	 * Have another thread of {@code one} wait for a lock.
	 */
	CompletableFuture<LockHandle> waiter(LockRequest request) {
		int waiting = this.one.registry().status().acquiring();
		CompletableFuture<LockHandle> waiter = acquire(this.one, request);
		awaitWaiting(waiting + 1);
		return waiter;
	}

	void awaitWaiting(int waiting) {
		await().pollInterval(Duration.ofMillis(2)).until(() -> this.one.registry().status().acquiring() == waiting);
		awaitParked(waiting);
	}

	/**
	 * Let time pass, as a slow network does.
	 */
	static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().pollInterval(Duration.ofMillis(10)).until(() -> System.nanoTime() - end >= 0);
	}

}
