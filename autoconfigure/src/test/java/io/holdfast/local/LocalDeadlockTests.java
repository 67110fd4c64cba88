package io.holdfast.local;

import io.holdfast.engine.AbstractDeadlockTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Deadlocks of owners of locks in memory.
 */
class LocalDeadlockTests extends AbstractDeadlockTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
