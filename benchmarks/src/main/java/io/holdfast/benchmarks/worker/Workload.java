package io.holdfast.benchmarks.worker;

/**
 * What the threads of a worker do.
 */
public enum Workload {

	/**
	 * Each thread acquires and releases a key of its own, over and over.
	 */
	OWN_KEY,

	/**
	 * All threads acquire and release the same key, over and over.
	 */
	ONE_KEY,

	/**
	 * All threads acquire the same key, hold it for a millisecond, and ask again at once.
	 */
	SECTION,

	/**
	 * One thread of each worker holds the same key for some time, pauses, and asks again.
	 */
	HAND_OVER,

	/**
	 * One thread holds many keys and does nothing else.
	 */
	HELD

}
