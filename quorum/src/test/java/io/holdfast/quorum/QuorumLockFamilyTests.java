package io.holdfast.quorum;

import io.holdfast.engine.AbstractKindsOfLocksTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shared and fair locks and several keys, with three masters, by Lettuce.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumLockFamilyTests extends AbstractKindsOfLocksTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sureByLettuce(3);

	@Override
	public int keysAtOnce() {
		return 100;
	}

}
