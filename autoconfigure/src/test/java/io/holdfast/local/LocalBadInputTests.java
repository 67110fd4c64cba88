package io.holdfast.local;

import io.holdfast.engine.AbstractBadInputTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Times and keys that cannot be, with locks in memory.
 */
class LocalBadInputTests extends AbstractBadInputTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
