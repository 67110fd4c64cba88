package io.holdfast.quorum;

import java.util.List;

import io.holdfast.engine.AbstractOutOfMemoryTests;
import io.holdfast.engine.LockStores;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three masters that are out of memory.
 */
@Tag("any-jdk")
class QuorumOutOfMemoryTests extends AbstractOutOfMemoryTests {

	private static final QuorumServers servers = QuorumServers.sure(3);

	@RegisterExtension
	static final LockStores stores = servers;

	@Override
	protected List<RedisProcess> servers() {
		return servers.all();
	}

}
