package io.holdfast.sample;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when there is no Redis on a port and none can be started there.
 */
class RedisNotStartedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int port;

	private final String reason;

	RedisNotStartedException(int port, String reason, @Nullable Throwable cause) {
		super("Redis cannot be started on port %d".formatted(port), cause);
		this.port = port;
		this.reason = reason;
	}

	int getPort() {
		return this.port;
	}

	String getReason() {
		return this.reason;
	}

}
