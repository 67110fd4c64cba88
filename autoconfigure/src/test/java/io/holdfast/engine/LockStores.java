package io.holdfast.engine;

import io.holdfast.LockRequest;
import io.holdfast.test.TestServer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;

/**
 * Where the locks of a test class, and of those nested in it, are kept.
 */
public interface LockStores extends TestServer, TestInstancePostProcessor {

	@Override
	default void postProcessTestInstance(Object test, ExtensionContext context) {
		if (test instanceof AbstractStoreTests tests) {
			tests.use(this);
		}
	}

	LockStore open(String instanceId);

	/**
	 * Take a lock away behind its holder's back, as an operator would.
	 */
	void takeAway(String key);

	/**
	 * Return whether there are so many places in the queue of a lock.
	 */
	boolean isQueued(String key, int waiters);

	/**
	 * Return how many keys tests ask for at once: fewer where that takes too long.
	 */
	default int keysAtOnce() {
		return LockRequest.MOST_KEYS;
	}

	default boolean sendMessages() {
		return true;
	}

}
