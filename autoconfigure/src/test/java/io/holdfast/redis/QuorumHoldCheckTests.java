package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whether a thread still holds locks on three masters.
 */
@Tag("any-jdk")
class QuorumHoldCheckTests extends AbstractHoldCheckTests {

	@RegisterExtension
	static final LockStores stores = new QuorumServers(3, Duration.ofMillis(300));

	@Override
	protected LockStores stores() {
		return stores;
	}

}
