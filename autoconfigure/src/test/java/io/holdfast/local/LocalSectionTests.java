package io.holdfast.local;

import io.holdfast.engine.AbstractSectionTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Sections under one grant in memory.
 */
@Tag("slow")
class LocalSectionTests extends AbstractSectionTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
