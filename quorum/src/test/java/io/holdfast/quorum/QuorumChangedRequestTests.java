package io.holdfast.quorum;

import io.holdfast.engine.AbstractChangedRequestTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Changed requests on independent masters, which free a lock instead of handing it on.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumChangedRequestTests extends AbstractChangedRequestTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

}
