package io.holdfast.autoconfigure;

import io.holdfast.redis.ConnectionSource;
import io.holdfast.redis.LockConnections;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections to the application's Redis that only locks use. They stop together with the
 * application's. Their factory is no bean: an application's own stays the only one.
 */
class ReservedConnections implements SmartLifecycle {

	private final RedisConnectionFactory application;

	private final @Nullable LockConnections own;

	private volatile boolean running;

	/**
	 * Create connections.
	 * @param application where the application's connections come from
	 * @param own where those for locks come from, or {@code null} when there are none
	 */
	ReservedConnections(RedisConnectionFactory application, @Nullable LockConnections own) {
		this.application = application;
		this.own = own;
	}

	/**
	 * Return where they come from, or {@code null} when the application uses another
	 * client or connects in a way of its own.
	 */
	@Nullable ConnectionSource source() {
		return (this.own != null) ? source(this.own) : null;
	}

	ConnectionSource source(LockConnections own) {
		return ConnectionSource.of(own);
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.own != null) {
			this.own.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * That of the application's connections.
	 */
	@Override
	public int getPhase() {
		return (this.application instanceof SmartLifecycle lifecycle) ? lifecycle.getPhase() : 0;
	}

}
