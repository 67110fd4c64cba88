package io.holdfast.redis;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * Connections of Lettuce that nobody else uses meanwhile. A few are kept open, unless the
 * application pools them itself; one on which something has failed is not.
 */
final class LettuceOwnConnections implements RedisConnections {

	private static final int MOST_IDLE = 8;

	private final LettuceConnectionFactory factory;

	private final int mostIdle;

	private final Deque<LettuceOwnConnection> idle = new ConcurrentLinkedDeque<>();

	private volatile boolean closed;

	private LettuceOwnConnections(LettuceConnectionFactory factory) {
		this.factory = factory;
		this.mostIdle = (factory.getClientConfiguration() instanceof LettucePoolingClientConfiguration) ? 0 : MOST_IDLE;
	}

	/**
	 * Return connections of their own to where a factory connects to, or {@code null}
	 * when it hands out such in any case.
	 */
	static @Nullable RedisConnections of(RedisConnectionFactory factory) {
		boolean shared = factory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection();
		return shared ? new LettuceOwnConnections((LettuceConnectionFactory) factory) : null;
	}

	@Override
	public <T extends @Nullable Object> T use(Function<RedisConnection, T> question) {
		LettuceOwnConnection connection = take();
		boolean reusable = false;
		try {
			T answer = question.apply(connection.redis());
			connection.ensureNeverLost();
			reusable = true;
			return answer;
		}
		finally {
			if (reusable) {
				keep(connection);
			}
			else {
				connection.close();
			}
		}
	}

	private LettuceOwnConnection take() {
		LettuceOwnConnection connection = this.idle.pollFirst();
		while (connection != null && connection.isLost()) {
			connection.close();
			connection = this.idle.pollFirst();
		}
		return (connection != null) ? connection : LettuceOwnConnection.open(this.factory);
	}

	private void keep(LettuceOwnConnection connection) {
		if (this.idle.size() >= this.mostIdle) {
			connection.close();
			return;
		}
		this.idle.addFirst(connection);
		if (this.closed) {
			close();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		for (LettuceOwnConnection next = this.idle.poll(); next != null; next = this.idle.poll()) {
			next.close();
		}
	}

}
