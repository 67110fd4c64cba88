package io.holdfast.local;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What operators see of locks in memory.
 */
class LocalStoreViewTests extends AbstractStoreViewTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
