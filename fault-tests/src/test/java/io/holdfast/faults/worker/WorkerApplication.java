package io.holdfast.faults.worker;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.quorum.QuorumAutoConfiguration;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Locks as every application has them, and little else, so that it starts quickly.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
		QuorumAutoConfiguration.class })
@Import(ConnectionHogs.class)
class WorkerApplication {

}
