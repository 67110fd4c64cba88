package io.holdfast.benchmarks;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;

import com.baomidou.lock.annotation.Lock4j;
import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The starters of Redisson and lock4j and a {@link RedisLockRegistry} in one application
 * with Holdfast: all of their locks on one method.
 */
class OtherLockLibrariesTests {

	@Test
	void allLocksAreHeldInOneMethod() {
		try (RedisProcess redis = new RedisProcess()) {
			redis.start();
			new ApplicationContextRunner().withUserConfiguration(Application.class)
				.withPropertyValues("spring.data.redis.port=" + redis.port())
				.run((context) -> {
					assertThat(context).hasSingleBean(LockTemplate.class).hasSingleBean(LockRegistry.class);
					assertThat(context.getBean("lockTemplate")).isInstanceOf(com.baomidou.lock.LockTemplate.class);
					assertThat(context.getBean("lockRegistry")).isInstanceOf(RedisLockRegistry.class);
					Set<String> held = context.getBean(Shop.class).lockedKeys("42");
					assertThat(held).contains("holdfast:{order:42}", "theirs:42", "redisson:42")
						.anyMatch((key) -> key.startsWith("lock4j:"));
					assertThat(context.getBean(StringRedisTemplate.class).keys("*"))
						.filteredOn((key) -> !key.startsWith("holdfast:instance:"))
						.containsExactlyInAnyOrder("holdfast:{order:42}:token", "holdfast:{order:42}:released");
				});
		}
	}

	static class Shop {

		private final StringRedisTemplate redis;

		private final RedisLockRegistry locks;

		private final RedissonClient redisson;

		Shop(StringRedisTemplate redis, RedisLockRegistry locks, RedissonClient redisson) {
			this.redis = redis;
			this.locks = locks;
			this.redisson = redisson;
		}

		@Lock4j(keys = "#order")
		@DistributedLock(name = "order", key = "#order")
		public Set<String> lockedKeys(String order) {
			Lock lock = this.locks.obtain(order);
			lock.lock();
			RLock another = this.redisson.getLock("redisson:" + order);
			another.lock();
			try {
				return new TreeSet<>(this.redis.keys("*"));
			}
			finally {
				another.unlock();
				lock.unlock();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Application {

		@Bean(destroyMethod = "destroy")
		RedisLockRegistry lockRegistry(RedisConnectionFactory connections) {
			return new RedisLockRegistry(connections, "theirs");
		}

		@Bean
		Shop shop(StringRedisTemplate redis, RedisLockRegistry locks, RedissonClient redisson) {
			return new Shop(redis, locks, redisson);
		}

	}

}
