package io.holdfast.redis;

import io.holdfast.engine.AbstractKindsOfLocksTests;
import io.holdfast.engine.AbstractPermitTests;
import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import io.holdfast.test.Client;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is different in a Cluster: several keys in slots that are most likely different,
 * and what operators see.
 */
@Tag("any-jdk")
@Tag("slow")
class ClusterFamilyTests {

	@Nested
	class Jedis extends AbstractKindsOfLocksTests {

		@RegisterExtension
		static final LockStores stores = RedisStores.cluster(Client.JEDIS);

	}

	@Nested
	class Lettuce extends AbstractPermitTests {

		@RegisterExtension
		static final LockStores stores = RedisStores.cluster(Client.LETTUCE);

	}

	@Nested
	class View extends AbstractStoreViewTests {

		@RegisterExtension
		static final LockStores stores = RedisStores.cluster(Client.JEDIS);

	}

}
