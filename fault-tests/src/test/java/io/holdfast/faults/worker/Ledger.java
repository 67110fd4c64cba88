package io.holdfast.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * Numbers that are counted up by reading and writing, and refuse whoever comes with a
 * smaller token than another before. On a server of its own, to which nothing happens.
 */
final class Ledger implements AutoCloseable {

	/**
	 * Who reads this has an old token.
	 */
	static final long REFUSED = -1;

	private static final String READ = """
			if tonumber(ARGV[1]) < tonumber(redis.call('hget', KEYS[1], 'token') or '0') then return -1 end
			redis.call('hset', KEYS[1], 'token', ARGV[1])
			return tonumber(redis.call('hget', KEYS[1], 'count') or '0')""";

	private static final String WRITE = """
			if tonumber(ARGV[1]) < tonumber(redis.call('hget', KEYS[1], 'token') or '0') then return 0 end
			redis.call('hset', KEYS[1], 'token', ARGV[1], 'count', ARGV[2])
			redis.call('rpush', KEYS[2], KEYS[1] .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
			return 1""";

	private static final String UNRESERVE = """
			if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
			return 1""";

	private final String self = UUID.randomUUID().toString();

	private final Jedis jedis;

	private @Nullable String reserved;

	Ledger(int port) {
		this.jedis = new Jedis("127.0.0.1", port, 30_000);
	}

	/**
	 * Read a number in order to change it, and leave the token there.
	 */
	long read(String key, long token) {
		return (Long) this.jedis.eval(READ, List.of(key), List.of(Long.toString(token)));
	}

	boolean write(String key, long token, long count) {
		return (Long) this.jedis.eval(WRITE, List.of(key, "entries"),
				List.of(Long.toString(token), Long.toString(count))) == 1;
	}

	/**
	 * Have no other worker ask for a key, for some time at most.
	 * @return whether none does
	 */
	boolean reserve(String key, Duration atMost) {
		String name = "reserved:" + key;
		SetParams unlessReserved = SetParams.setParams().nx().px(atMost.toMillis());
		boolean reserved = this.jedis.set(name, this.self, unlessReserved) != null;
		this.reserved = reserved ? name : null;
		return reserved;
	}

	void unreserve() {
		if (this.reserved != null) {
			this.jedis.eval(UNRESERVE, List.of(this.reserved), List.of(this.self));
			this.reserved = null;
		}
	}

	@Override
	public void close() {
		this.jedis.close();
	}

}
