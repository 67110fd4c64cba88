package io.holdfast.benchmarks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A contender that is connected to its server and used by all threads of a JVM, until
 * that ends.
 */
@FunctionalInterface
interface LockClient {

	/**
	 * Acquire the lock of a key for the calling thread, and wait for it without limit.
	 * @return releases the lock, on the same thread
	 */
	Runnable acquire(String key) throws InterruptedException;

	/**
	 * What a caller does who must try again.
	 */
	static void pause() {
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000, 1_500_000));
	}

}
