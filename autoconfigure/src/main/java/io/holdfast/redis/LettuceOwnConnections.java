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

	/**
	 * Who comes at the same time sees what the other has added, one of them at least:
	 * none too many stay.
	 */
	private void keep(LettuceOwnConnection connection) {
		this.idle.addFirst(connection);
		closeIdle(this.closed ? 0 : this.mostIdle);
	}

	@Override
	public void close() {
		this.closed = true;
		closeIdle(0);
	}

	private void closeIdle(int left) {
		while (this.idle.size() > left) {
			LettuceOwnConnection surplus = this.idle.pollLast();
			if (surplus != null) {
				surplus.close();
			}
		}
	}

}
