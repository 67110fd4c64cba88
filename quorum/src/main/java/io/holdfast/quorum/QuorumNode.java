package io.holdfast.quorum;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One of the independent masters that decide about locks together.
 *
 * @param name tells the node from the others, in all instances alike: its rank among them
 * decides which tokens the node grants; must not have a password in it
 * @param connectionFactory where connections to it come from; one that gives up after
 * about the node timeout
 */
record QuorumNode(String name, RedisConnectionFactory connectionFactory) {
}
