package io.holdfast.quorum;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What operators see of locks on three masters.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumStoreViewTests extends AbstractStoreViewTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

}
