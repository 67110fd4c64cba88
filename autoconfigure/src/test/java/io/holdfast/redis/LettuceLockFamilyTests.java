package io.holdfast.redis;

import io.holdfast.test.Connections;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The contract, on one Redis with Lettuce.
 */
class LettuceLockFamilyTests extends AbstractRedisLockFamilyTests<LettuceConnectionFactory> {

	@Override
	protected LettuceConnectionFactory connect(int port) {
		return Connections.lettuce(port);
	}

}
