package io.holdfast.benchmarks.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The floor: {@code SET NX PX} to acquire, compare-and-delete in a script to release, and
 * nothing else. No reentry, no renewal, no fencing token.
 *
 * <p>
 * When the key is taken, a thread tries again after about a millisecond, as long as it
 * takes. That makes a floor for a lock without contention. With contention it is merely
 * the simplest thing that works: the more threads spin, the more commands Redis answers
 * in vain, the releasing thread has the best chances to get the lock again, and how long
 * one waits is a matter of luck.
 */
final class BareJedisClient implements LockClient {

	private static final long SHORTEST_PAUSE = Duration.ofNanos(500_000).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofNanos(1_500_000).toNanos();

	private static final String RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

	private final AtomicLong values = new AtomicLong();

	private final String instance = UUID.randomUUID().toString();

	private final RedisClient redis;

	private final byte[] release;

	BareJedisClient(ClientSettings settings) {
		this.redis = RedisClient.builder()
			.hostAndPort(ClientSettings.HOST, settings.port())
			.poolConfig(settings.pool())
			.build();
		this.release = bytes(this.redis.scriptLoad(RELEASE));
	}

	@Override
	public HeldLock acquire(String key) throws InterruptedException {
		byte[] redisKey = bytes(key);
		byte[] value = bytes(this.instance + ":" + this.values.incrementAndGet());
		SetParams onlyIfFree = SetParams.setParams().nx().px(ClientSettings.LEASE.toMillis());
		while (this.redis.set(redisKey, value, onlyIfFree) == null) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, LONGEST_PAUSE));
		}
		return () -> this.redis.evalsha(this.release, List.of(redisKey), List.of(value));
	}

	@Override
	public void close() {
		this.redis.close();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
