package io.holdfast.redis;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Shared and fair locks and several keys, on a Cluster with Lettuce.
 */
class LettuceClusterLockFamilyTests extends AbstractClusterLockFamilyTests<LettuceConnectionFactory> {

	@Override
	protected LettuceConnectionFactory connect(RedisCluster cluster) {
		return Connections.lettuceCluster(cluster);
	}

}
