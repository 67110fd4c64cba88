package io.holdfast.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;

/**
 * Two instances that share a store. The instance {@code one} talks to it over a bad
 * network, {@code two} over a good one.
 */
abstract class AbstractNetworkTests extends AbstractStoreTests {

	TestInstance one;

	TestInstance two;

	FaultyStore network;

	@BeforeEach
	void createInstances() {
		AtomicReference<FaultyStore> faulty = new AtomicReference<>();
		this.one = closing(TestInstance.passing((id) -> {
			faulty.set(new FaultyStore(stores().open(id)));
			return faulty.get();
		}, handoverCheck()));
		this.network = faulty.get();
		this.two = newInstance();
	}

	/**
	 * Return for how long {@code one} passes a lock on without asking.
	 */
	Duration handoverCheck() {
		return Duration.ofMillis(50);
	}

	LockRequest request() {
		return LockRequest.of(this.key);
	}

	LockRequest oneTry() {
		return request().waitFor(Duration.ZERO);
	}

	/**
	 * Wait until so many threads of {@code one} wait for a lock.
	 */
	void awaitWaiting(int waiting) {
		await().pollInterval(Duration.ofMillis(2)).until(() -> this.one.registry().status().acquiring() == waiting);
		awaitParked(waiting);
	}

	boolean isFree() {
		return isFree(request());
	}

	boolean isFree(LockRequest request) {
		return Threads.call(() -> {
			Optional<LockHandle> handle = this.two.template().tryAcquire(request.waitFor(Duration.ZERO));
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		});
	}

	/**
	 * Let time pass, as a slow network does.
	 */
	static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().pollInterval(Duration.ofMillis(10)).until(() -> System.nanoTime() - end >= 0);
	}

}
