package io.holdfast.local;

import io.holdfast.engine.AbstractChangedRequestTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Changed requests in memory.
 */
class LocalChangedRequestTests extends AbstractChangedRequestTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
