package io.holdfast.benchmarks.contender;

import java.util.Map;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application with Holdfast, set up by nothing but properties. It has all that is on
 * the class path, except for what belongs to another contender.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = { "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
		"com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration" })
public class HoldfastApplication {

	/**
	 * Run the application, with Jedis.
	 * @param settings where Redis is
	 * @param sources more configuration
	 * @return the running application
	 */
	public static ConfigurableApplicationContext run(ClientSettings settings, Class<?>... sources) {
		return run(settings, "jedis", sources);
	}

	static ConfigurableApplicationContext run(ClientSettings settings, String clientType, Class<?>... sources) {
		return new SpringApplicationBuilder(HoldfastApplication.class).sources(sources)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(properties(settings, clientType))
			.run();
	}

	private static Map<String, Object> properties(ClientSettings settings, String clientType) {
		return Map.of("spring.data.redis.host", ClientSettings.HOST, "spring.data.redis.port", settings.port(),
				"spring.data.redis.client-type", clientType, "spring.data.redis.jedis.pool.max-active",
				settings.connections(), "spring.data.redis.jedis.pool.max-idle", settings.connections(),
				"holdfast.redis.pool.max-active", settings.connections(), "holdfast.lease", ClientSettings.LEASE);
	}

}
