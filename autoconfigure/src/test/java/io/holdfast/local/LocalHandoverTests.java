package io.holdfast.local;

import io.holdfast.engine.AbstractHandoverTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Hand-overs in memory.
 */
@Tag("slow")
class LocalHandoverTests extends AbstractHandoverTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
