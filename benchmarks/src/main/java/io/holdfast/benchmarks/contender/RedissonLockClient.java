package io.holdfast.benchmarks.contender;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its defaults for a single server. Its watchdog's lease is the 30 seconds
 * that all have.
 */
final class RedissonLockClient implements LockClient {

	private final RedissonClient redisson;

	private final boolean fair;

	RedissonLockClient(ClientSettings settings, boolean fair) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://%s:%d".formatted(ClientSettings.HOST, settings.port()));
		this.redisson = Redisson.create(config);
		this.fair = fair;
	}

	@Override
	public HeldLock acquire(String key) {
		RLock lock = this.fair ? this.redisson.getFairLock(key) : this.redisson.getLock(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.redisson.shutdown();
	}

}
