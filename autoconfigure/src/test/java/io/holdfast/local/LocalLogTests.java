package io.holdfast.local;

import io.holdfast.engine.AbstractLogTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is written to the log about locks in memory.
 */
class LocalLogTests extends AbstractLogTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
