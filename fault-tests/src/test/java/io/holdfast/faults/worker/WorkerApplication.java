package io.holdfast.faults.worker;

import java.time.Duration;

import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.quorum.QuorumAutoConfiguration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Locks as every application has them, and little else, so that it starts quickly.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
		QuorumAutoConfiguration.class })
public class WorkerApplication {

	@Bean
	Shift shift(LockTemplate locks, Environment environment) {
		return new Shift(locks, environment.getRequiredProperty("holdfast.lease", Duration.class),
				environment.getRequiredProperty("worker.ledger-port", int.class),
				environment.containsProperty("holdfast.redis.nodes"));
	}

	/**
	 * What else an application does with its Redis: threads that each keep a connection
	 * for a while, again and again.
	 */
	@Bean
	CommandLineRunner business(StringRedisTemplate redis, @Value("${worker.business-threads:0}") int threads) {
		return (arguments) -> {
			for (int i = 0; i < threads; i++) {
				Thread thread = new Thread(() -> keepConnections(redis), "business-" + i);
				thread.setDaemon(true);
				thread.start();
			}
		};
	}

	private static void keepConnections(StringRedisTemplate redis) {
		while (true) {
			try {
				redis.opsForList().leftPop("nothing", Duration.ofMillis(100));
			}
			catch (DataAccessException ex) {
				// No connection was left, which is what this is for
			}
			catch (IllegalStateException ex) {
				return; // The application has ended
			}
		}
	}

}
