package io.holdfast.faults.worker;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What else an application does with its Redis: threads that each keep a connection for a
 * while, again and again.
 */
class ConnectionHogs implements SmartLifecycle {

	private static final Duration TIME = Duration.ofMillis(100);

	private final StringRedisTemplate redis;

	private final int threads;

	private volatile boolean running;

	ConnectionHogs(StringRedisTemplate redis, @Value("${worker.business-threads:0}") int threads) {
		this.redis = redis;
		this.threads = threads;
	}

	@Override
	public void start() {
		this.running = true;
		for (int i = 0; i < this.threads; i++) {
			Thread thread = new Thread(this::keepConnections, "business-" + i);
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void keepConnections() {
		while (this.running) {
			try {
				this.redis.opsForList().leftPop("nothing", TIME);
			}
			catch (DataAccessException ex) {
				// No connection was left, which is what this is for
			}
		}
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
