package io.holdfast.differential;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * Locks in a real Redis. Its clock cannot be moved: what it has written down is.
 */
final class RedisSide extends Side {

	private static final String PREFIX = "h";

	/**
	 * Longer than any sequence of calls goes on, by its own time.
	 */
	private static final Duration TOKEN_RETENTION = Duration.ofDays(10_000);

	private static final List<String> SUFFIXES = List.of("", ":token", ":queue", ":deadlines", ":fair", ":shares",
			":released");

	private static final String PASS = """
			for _, key in ipairs(KEYS) do
			  local left = redis.call('PTTL', key)
			  if left >= 0 then
			    redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[1]))
			  end
			  if string.find(key, ':deadlines$') or string.find(key, ':shares$') then
			    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
			      local is_denied = tonumber(redis.call('ZSCORE', key, member)) < 0
			      redis.call('ZINCRBY', key, is_denied and ARGV[1] or -ARGV[1], member)
			    end
			  end
			end
			return 1""";

	private static final long BACK_MICROS = TimeUnit.SECONDS.toMicros(10);

	private final Jedis operator;

	private final JedisConnectionFactory connections;

	private final Map<String, RedisLockStore> stores = new HashMap<>();

	private final List<String> names = new ArrayList<>();

	RedisSide(RedisProcess redis, List<String> keys) {
		this.operator = redis.connect();
		this.connections = Connections.patientJedis(redis.port());
		keys.forEach((key) -> SUFFIXES.forEach((suffix) -> this.names.add(lock(key) + suffix)));
		INSTANCES.forEach((instance) -> {
			RedisLockStore store = new RedisLockStore(this.connections, PREFIX, TOKEN_RETENTION, ReplicaAcks.NONE);
			store.listen(instance, wakeUps(instance));
			this.stores.put(instance, store);
		});
		await().until(
				() -> this.stores.values().stream().allMatch((store) -> store.subscription() == Subscription.ACTIVE));
	}

	private static String lock(String key) {
		return PREFIX + ":{" + key + "}";
	}

	@Override
	protected LockStore store(String instance) {
		return this.stores.get(instance);
	}

	@Override
	protected void clear() {
		this.operator.flushAll();
	}

	@Override
	protected void tellEnd(String instance) {
		this.operator.publish(PREFIX + ":wake:" + instance, "1 " + END);
	}

	@Override
	protected void pass(int hours) {
		this.operator.eval(PASS, this.names, List.of(Long.toString(TimeUnit.HOURS.toMillis(hours))));
	}

	@Override
	protected void setClockBack(String key) {
		String name = lock(key) + ":token";
		String last = this.operator.get(name);
		long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
		long ahead = Math.max((last != null) ? Long.parseLong(last) : 0, now) + BACK_MICROS;
		this.operator.set(name, Long.toString(ahead));
		raise(key, ahead);
	}

	@Override
	public void close() {
		this.stores.values().forEach((store) -> {
			store.stopListening();
			store.close();
		});
		this.operator.close();
		this.connections.destroy();
	}

}
