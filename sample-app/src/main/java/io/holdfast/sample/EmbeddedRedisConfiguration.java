package io.holdfast.sample;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Provides a Redis when the application was not told of one.
 *
 * <p>
 * The Redis is a bean, and connections depend on it: it is there before the first of them
 * is opened and goes after locks are released and the last of them is closed.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedRedisConfiguration.NoRedisConfigured.class)
class EmbeddedRedisConfiguration {

	@Bean(destroyMethod = "stop")
	EmbeddedRedis embeddedRedis(SampleProperties properties) {
		EmbeddedRedis redis = EmbeddedRedis.findOrStart(properties.redisPort());
		System.out.println(redis);
		return redis;
	}

	@Bean
	DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(EmbeddedRedis.HOST, redis.port());
			}

		};
	}

	/**
	 * Matches when neither a host nor a URL is set, and locks are in Redis.
	 */
	static class NoRedisConfigured extends NoneNestedConditions {

		NoRedisConfigured() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("spring.data.redis.host")
		static class HostConfigured {

		}

		@ConditionalOnProperty("spring.data.redis.url")
		static class UrlConfigured {

		}

		@ConditionalOnProperty(name = "holdfast.store", havingValue = "jdbc")
		static class NotWanted {

		}

	}

}
