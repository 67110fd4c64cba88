package io.holdfast.redis;

import io.holdfast.engine.AbstractPermitTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Permits in a Cluster with Lettuce: of several keys in slots that are most likely
 * different.
 */
@Tag("any-jdk")
@Tag("slow")
class LettuceClusterPermitTests extends AbstractPermitTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.lettuceCluster();

}
