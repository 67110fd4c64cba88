package io.holdfast.autoconfigure;

import io.holdfast.engine.HoldfastLockRegistry;

/**
 * The registry of this instance. A bean of its own, as a test may replace the
 * LockRegistry bean by a mock.
 */
record LockEngine(HoldfastLockRegistry registry) implements AutoCloseable {

	@Override
	public void close() {
		this.registry.close();
	}

}
