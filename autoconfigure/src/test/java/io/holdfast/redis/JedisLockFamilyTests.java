package io.holdfast.redis;

import io.holdfast.test.Connections;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The contract, on one Redis with Jedis.
 */
class JedisLockFamilyTests extends AbstractRedisLockFamilyTests<JedisConnectionFactory> {

	@Override
	protected JedisConnectionFactory connect(int port) {
		return Connections.jedis(port);
	}

}
