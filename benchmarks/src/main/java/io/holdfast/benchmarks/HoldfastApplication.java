package io.holdfast.benchmarks;

import java.util.Map;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application with Holdfast, set up by nothing but properties. It has all that is on
 * the class path.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class HoldfastApplication {

	static ConfigurableApplicationContext run(ClientSettings settings, String... more) {
		int connections = settings.connections();
		return new SpringApplicationBuilder(HoldfastApplication.class).web(WebApplicationType.NONE)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(Map.of("spring.main.banner-mode", "off", "spring.data.redis.host", ClientSettings.HOST,
					"spring.data.redis.port", settings.port(), "spring.data.redis.jedis.pool.max-active", connections,
					"spring.data.redis.jedis.pool.max-idle", connections, "holdfast.redis.pool.max-active", connections,
					"holdfast.lease", ClientSettings.LEASE, "spring.datasource.url",
					ClientSettings.databaseUrl(settings.port()), "spring.datasource.username", ClientSettings.DATABASE))
			.properties(more)
			.run();
	}

}
