package io.holdfast.quorum;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One of the independent masters that decide about locks together.
 *
 * @param name the same in all instances, without a password: its rank among the names of
 * the nodes decides which tokens the node grants
 * @param connectionFactory where connections to it come from; one that gives up after
 * about the node timeout
 */
record QuorumNode(String name, RedisConnectionFactory connectionFactory) {
}
