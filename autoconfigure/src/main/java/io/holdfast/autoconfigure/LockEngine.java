package io.holdfast.autoconfigure;

import io.holdfast.engine.HoldfastLockRegistry;

/**
 * The locks of this instance, also where a test has replaced the bean with the registry.
 */
record LockEngine(HoldfastLockRegistry registry) implements AutoCloseable {

	@Override
	public void close() {
		this.registry.close();
	}

}
