package io.holdfast.docs;

import java.io.IOException;
import java.net.ServerSocket;

import redis.embedded.RedisServer;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistrar;

// snippet: embedded-redis
@TestConfiguration(proxyBeanMethods = false)
class EmbeddedRedisConfiguration {

	@Bean(initMethod = "start", destroyMethod = "stop")
	RedisServer redisServer() throws IOException {
		try (ServerSocket freePort = new ServerSocket(0)) {
			return new RedisServer(freePort.getLocalPort());
		}
	}

	@Bean
	DynamicPropertyRegistrar redisProperties(RedisServer server) {
		return (properties) -> properties.add("spring.data.redis.port", () -> server.ports().get(0));
	}

}
// end
