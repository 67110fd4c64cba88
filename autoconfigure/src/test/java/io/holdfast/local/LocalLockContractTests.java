package io.holdfast.local;

import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, in memory.
 */
class LocalLockContractTests extends AbstractLockContractTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
