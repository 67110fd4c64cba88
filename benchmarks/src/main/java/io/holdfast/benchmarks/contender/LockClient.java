package io.holdfast.benchmarks.contender;

/**
 * A contender that is connected to Redis and used by all threads of a JVM.
 */
public interface LockClient extends AutoCloseable {

	/**
	 * Acquire the lock of a key for the calling thread, and wait for it without limit.
	 * @param key the key
	 * @return the lock, to be released by the same thread
	 * @throws InterruptedException when the thread is interrupted while it waits
	 */
	HeldLock acquire(String key) throws InterruptedException;

	@Override
	void close();

	/**
	 * A lock that is held.
	 */
	@FunctionalInterface
	interface HeldLock {

		/**
		 * Release the lock.
		 */
		void release();

	}

}
