package io.holdfast.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Counts how often connections are to be replaced, and keeps them.
 */
final class CountedReplacements extends DisturbedConnections implements LockConnections {

	private final AtomicInteger count = new AtomicInteger();

	CountedReplacements(RedisConnectionFactory connections, IntConsumer beforeCall) {
		super(connections, beforeCall);
	}

	@Override
	public boolean replaceAll() {
		return this.count.incrementAndGet() == 1;
	}

	@Override
	public void stop() {
		// The connections belong to others
	}

	@Override
	public void destroy() {
		// The connections belong to others
	}

	int count() {
		return this.count.get();
	}

}
