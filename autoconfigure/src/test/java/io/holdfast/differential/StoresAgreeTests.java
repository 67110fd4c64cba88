package io.holdfast.differential;

import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The scripts in Redis and the store in memory.
 */
class StoresAgreeTests extends AbstractStoresAgreeTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	StoresAgreeTests() {
		super(25_000);
	}

	@Override
	protected Side side() {
		return new RedisSide(redis, KEYS);
	}

}
