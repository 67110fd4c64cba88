package io.holdfast.docs;

import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;

// snippet: testcontainers
@TestConfiguration(proxyBeanMethods = false)
class RedisContainerConfiguration {

	@Bean
	@ServiceConnection(name = "redis")
	GenericContainer<?> redis() {
		return new GenericContainer<>("redis:7").withExposedPorts(6379);
	}

}
// end
