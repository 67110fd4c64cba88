package io.holdfast.local;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whether a thread still holds locks in memory.
 */
class LocalHoldCheckTests extends AbstractHoldCheckTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
