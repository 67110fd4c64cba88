package io.holdfast.redis;

import io.holdfast.engine.AbstractRenewalFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults while leases are renewed, with one Redis. Apart from other faults, since most of
 * these tests wait for leases.
 */
@Tag("slow")
class RedisRenewalFaultTests extends AbstractRenewalFaultTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
