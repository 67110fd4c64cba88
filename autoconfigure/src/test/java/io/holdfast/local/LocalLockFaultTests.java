package io.holdfast.local;

import io.holdfast.engine.AbstractLockFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults on the way to locks in memory.
 */
@Tag("any-jdk")
class LocalLockFaultTests extends AbstractLockFaultTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
