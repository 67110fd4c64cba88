package io.holdfast.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * {@code SET NX PX} to acquire, compare-and-delete in a script to release, and nothing
 * else: no reentry, no renewal, no fencing token. A thread that finds the key taken tries
 * again after about a millisecond, so with contention this is no floor: the more threads
 * spin, the more commands Redis answers in vain, and how long one waits is a matter of
 * luck.
 */
final class BareJedis implements LockClient {

	private static final String RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

	private final AtomicLong values = new AtomicLong();

	private final String instance = UUID.randomUUID().toString();

	private final RedisClient redis;

	private final byte[] release;

	BareJedis(ClientSettings settings) {
		this.redis = RedisClient.builder()
			.hostAndPort(ClientSettings.HOST, settings.port())
			.poolConfig(settings.pool())
			.build();
		this.release = bytes(this.redis.scriptLoad(RELEASE));
	}

	@Override
	public Runnable acquire(String key) {
		byte[] redisKey = bytes(key);
		byte[] value = bytes(this.instance + ":" + this.values.incrementAndGet());
		SetParams onlyIfFree = SetParams.setParams().nx().px(ClientSettings.LEASE.toMillis());
		while (this.redis.set(redisKey, value, onlyIfFree) == null) {
			LockClient.pause();
		}
		return () -> this.redis.evalsha(this.release, List.of(redisKey), List.of(value));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
