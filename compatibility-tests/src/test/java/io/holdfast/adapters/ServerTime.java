package io.holdfast.adapters;

import java.time.Duration;
import java.util.List;

import redis.clients.jedis.Jedis;

/**
 * Times by the clock of Redis, in microseconds. The token of a lock is the time when it
 * was granted, unless that clock went back.
 */
final class ServerTime {

	/**
	 * How long after the end of a lease the next holder has the lock at the latest, even
	 * if the machine stands still for seconds.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(4);

	private ServerTime() {
	}

	/**
	 * Return until when a waiter must be granted a lock whose holder is dead.
	 */
	static long latestGrant(Jedis jedis, String lock) {
		long left = Math.max(0, jedis.pttl(lock));
		List<String> now = jedis.time();
		Duration end = Duration.ofSeconds(Long.parseLong(now.get(0))).plusMillis(left).plus(PATIENCE);
		return end.toNanos() / 1_000 + Long.parseLong(now.get(1));
	}

	static long granted(Jedis jedis, String lock) {
		return Long.parseLong(jedis.hget(lock, "token"));
	}

}
