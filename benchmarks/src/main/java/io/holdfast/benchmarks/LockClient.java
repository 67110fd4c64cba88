package io.holdfast.benchmarks;

/**
 * A contender that is connected to Redis and used by all threads of a JVM, until that
 * ends.
 */
@FunctionalInterface
interface LockClient {

	/**
	 * Acquire the lock of a key for the calling thread, and wait for it without limit.
	 * @return releases the lock, on the same thread
	 */
	Runnable acquire(String key) throws InterruptedException;

}
