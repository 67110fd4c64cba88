package io.holdfast.local;

import io.holdfast.engine.AbstractMinHoldFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults on the way to locks in memory, while locks are to be kept.
 */
class LocalMinHoldFaultTests extends AbstractMinHoldFaultTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
