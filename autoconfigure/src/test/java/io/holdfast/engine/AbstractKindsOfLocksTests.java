package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

/**
 * What every store must do for shared and fair locks, for several keys and for views,
 * seen from two instances.
 */
public abstract class AbstractKindsOfLocksTests extends AbstractTwoInstancesTests
		implements SharedAndFairLockTests, SeveralKeysTests, ViewTests {

	@Test
	void waiterThatWouldNotAskAgainIsWokenByTheRelease() {
		TestInstance patient = closing(new TestInstance(stores()::open, Duration.ofHours(1)));
		LockHandle blocking = one().template().acquire(exclusive().lease(Duration.ofMinutes(10)));
		CompletableFuture<LockHandle> waiter = acquire(patient, exclusive());
		awaitQueued(key(), 1);
		blocking.release();
		Threads.join(waiter).release();
	}

}
