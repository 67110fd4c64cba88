package io.holdfast.local;

import io.holdfast.engine.AbstractRetentionTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Locks that are retained in memory.
 */
class LocalRetentionTests extends AbstractRetentionTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

}
