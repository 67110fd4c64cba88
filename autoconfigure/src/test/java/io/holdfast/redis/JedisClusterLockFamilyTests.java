package io.holdfast.redis;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Shared and fair locks and several keys, on a Cluster with Jedis.
 */
class JedisClusterLockFamilyTests extends AbstractClusterLockFamilyTests<JedisConnectionFactory> {

	@Override
	protected JedisConnectionFactory connect(RedisCluster cluster) {
		return Connections.jedisCluster(cluster);
	}

}
