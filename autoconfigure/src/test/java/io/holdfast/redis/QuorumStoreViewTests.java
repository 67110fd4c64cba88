package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What operators see of locks on three masters.
 */
@Tag("any-jdk")
class QuorumStoreViewTests extends AbstractStoreViewTests {

	@RegisterExtension
	static final LockStores stores = new QuorumServers(3, Duration.ofMillis(500));

	@Override
	protected LockStores stores() {
		return stores;
	}

}
