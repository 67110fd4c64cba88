package io.holdfast.benchmarks;

import java.util.Objects;
import java.util.function.Function;

import io.holdfast.LockRegistry;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * What is measured, in the order of the table.
 */
enum Contender {

	/**
	 * The floor: the commands that a lock needs at least, and no library.
	 */
	BARE("bare Jedis", "%s", BareJedis::new),

	REDISSON("Redisson RLock", "%s", Contender::redisson),

	SI_SPIN("Spring Integration (spin)", "benchmarks:%s",
			(settings) -> springIntegration(settings, RedisLockType.SPIN_LOCK)),

	SI_PUBSUB("Spring Integration (pub/sub)", "benchmarks:%s",
			(settings) -> springIntegration(settings, RedisLockType.PUB_SUB_LOCK)),

	HOLDFAST_JEDIS("Holdfast (Jedis)", "holdfast:{%s}",
			(settings) -> holdfast(settings, "spring.data.redis.client-type=jedis")),

	HOLDFAST_LETTUCE("Holdfast (Lettuce)", "holdfast:{%s}",
			(settings) -> holdfast(settings, "spring.data.redis.client-type=lettuce")),

	ADVISORY("bare pg_advisory_xact_lock", null, DatabaseLocks::advisory),

	SHEDLOCK("ShedLock (JdbcTemplate)", null, DatabaseLocks::shedLock),

	SI_JDBC("Spring Integration (JDBC)", null, DatabaseLocks::springIntegration),

	HOLDFAST_JDBC("Holdfast (JDBC)", null, (settings) -> holdfast(settings, "holdfast.store=jdbc",
			"spring.autoconfigure.exclude=org.redisson.spring.starter.RedissonAutoConfigurationV4"));

	private final String label;

	private final @Nullable String redisKey;

	private final Function<ClientSettings, LockClient> opener;

	Contender(String label, @Nullable String redisKey, Function<ClientSettings, LockClient> opener) {
		this.label = label;
		this.redisKey = redisKey;
		this.opener = opener;
	}

	String label() {
		return this.label;
	}

	boolean isInDatabase() {
		return this.redisKey == null;
	}

	/**
	 * Return the key that exists in Redis while a lock is held.
	 */
	String redisKey(String key) {
		return Objects.requireNonNull(this.redisKey).formatted(key);
	}

	LockClient open(ClientSettings settings) {
		return this.opener.apply(settings);
	}

	/**
	 * With the defaults for a single server. The watchdog's lease is the 30 seconds that
	 * all have.
	 */
	private static LockClient redisson(ClientSettings settings) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://%s:%d".formatted(ClientSettings.HOST, settings.port()));
		RedissonClient redisson = Redisson.create(config);
		return (key) -> {
			var lock = redisson.getLock(key);
			lock.lock();
			return lock::unlock;
		};
	}

	/**
	 * It renews leases only when it is given a scheduler for that.
	 */
	private static LockClient springIntegration(ClientSettings settings, RedisLockType type) {
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(ClientSettings.HOST, settings.port()),
				JedisClientConfiguration.builder().usePooling().poolConfig(settings.pool()).build());
		connections.afterPropertiesSet();
		connections.start();
		RedisLockRegistry registry = new RedisLockRegistry(connections, "benchmarks", ClientSettings.LEASE);
		registry.setRedisLockType(type);
		if (settings.renewing()) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.afterPropertiesSet();
			registry.setRenewalTaskScheduler(scheduler);
		}
		return (key) -> {
			var lock = registry.obtain(key);
			lock.lock();
			return lock::unlock;
		};
	}

	private static LockClient holdfast(ClientSettings settings, String... properties) {
		LockRegistry registry = HoldfastApplication.run(settings, properties).getBean(LockRegistry.class);
		return (key) -> {
			var lock = registry.lock(key);
			lock.lockInterruptibly();
			return lock::unlock;
		};
	}

}
