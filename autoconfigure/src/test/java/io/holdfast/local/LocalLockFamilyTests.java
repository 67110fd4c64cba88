package io.holdfast.local;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shared and fair locks and several keys, in memory.
 */
@Tag("slow")
class LocalLockFamilyTests extends AbstractLockFamilyTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
