package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.awaitility.Awaitility.await;

/**
 * Shared and fair locks and several keys, with three masters.
 */
class QuorumLockFamilyTests extends AbstractLockFamilyTests {

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

	@Override
	protected void awaitQueued(String key, int waiters) {
		await().until(() -> servers.isQueued(key, waiters));
	}

}
