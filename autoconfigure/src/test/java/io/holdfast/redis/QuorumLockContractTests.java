package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, with three masters.
 */
class QuorumLockContractTests extends AbstractLockContractTests {

	@RegisterExtension
	static final QuorumServers servers = new QuorumServers(3, Duration.ofMillis(500));

	@AfterEach
	void stopInstances() {
		closeInstances();
	}

	@Override
	protected LockStore store(String instanceId) {
		return servers.store(instanceId);
	}

	@Override
	protected void takeAway(String key) {
		servers.delete(key);
	}

}
