package io.holdfast.engine;

import java.time.Duration;
import java.util.Optional;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.BeforeEach;

/**
 * What users can rely on, whatever the store. Two instances, {@code one} and {@code two},
 * share it.
 */
abstract class AbstractContractTests extends AbstractStoreTests {

	TestInstance one;

	TestInstance two;

	@BeforeEach
	void createInstances() {
		this.one = newInstance();
		this.two = newInstance();
	}

	LockRequest request() {
		return LockRequest.of(this.key);
	}

	LockRequest oneTry() {
		return request().waitFor(Duration.ZERO);
	}

	boolean isFreeFor(TestInstance instance) {
		return Threads.call(() -> {
			Optional<LockHandle> handle = instance.template().tryAcquire(oneTry());
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		});
	}

}
