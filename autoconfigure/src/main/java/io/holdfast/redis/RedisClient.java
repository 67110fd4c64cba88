package io.holdfast.redis;

import java.util.function.Function;

import io.holdfast.LogText;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Asks one Redis, over a connection for each question.
 *
 * <p>
 * Connections come straight from the factory, never from a template: one that is bound to
 * a running transaction would only queue the scripts.
 */
public final class RedisClient implements AutoCloseable {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisClient.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.UnifiedJedis",
			RedisClient.class.getClassLoader());

	private static final Logger logger = LoggerFactory.getLogger(RedisClient.class);

	private final ConnectionSource source;

	private final RedisConnections connections;

	private final RedisConnections connectionsInTurn;

	private final RedisConnections ownConnections;

	private volatile @Nullable Boolean cluster;

	/**
	 * Create a client.
	 * @param source where connections come from
	 */
	public RedisClient(ConnectionSource source) {
		this.source = source;
		this.connections = new RedisConnections.Plain(source.factory());
		RedisConnections own = ownConnections(source.factory());
		Turns turns = (source.mostForOthers() > 0) ? new Turns(source.mostForOthers(), source.patience()) : null;
		this.connectionsInTurn = (turns != null) ? new ConnectionsInTurn(this.connections, turns) : this.connections;
		this.ownConnections = (turns != null) ? new ConnectionsInTurn(own, turns) : own;
	}

	private static RedisConnections ownConnections(RedisConnectionFactory factory) {
		RedisConnections own = LETTUCE ? LettuceOwnConnections.of(factory) : null;
		if (own != null) {
			return own;
		}
		return JEDIS ? new JedisOwnConnections(factory) : new RedisConnections.Plain(factory);
	}

	/**
	 * Return whether it is a Cluster. Whoever renews wants to know, and does not wait for
	 * a turn.
	 */
	boolean isCluster() {
		if (this.cluster == null) {
			ask(this.connections, null, noting((connection) -> true));
		}
		return isKnownAsCluster();
	}

	/**
	 * Return whether it is known to be a Cluster, from earlier questions.
	 */
	boolean isKnownAsCluster() {
		return Boolean.TRUE.equals(this.cluster);
	}

	/**
	 * Ask Redis about what is held.
	 */
	<T extends @Nullable Object> T ask(String key, Function<RedisConnection, T> question) {
		return ask(this.connections, key, noting(question));
	}

	/**
	 * Ask Redis anything else: for a lock, or on behalf of an operator.
	 * @param key the lock that the question is about, or {@code null}
	 * @param question what to do with a connection
	 * @param <T> what the answer is
	 * @return the answer
	 * @throws LockStoreException when there is none
	 */
	public <T extends @Nullable Object> T askInTurn(@Nullable String key, Function<RedisConnection, T> question) {
		return ask(this.connectionsInTurn, key, noting(question));
	}

	/**
	 * Note what kind of Redis it is by the way.
	 */
	private <T extends @Nullable Object> Function<RedisConnection, T> noting(Function<RedisConnection, T> question) {
		return (this.cluster != null) ? question : (connection) -> {
			this.cluster = connection instanceof RedisClusterConnection;
			return question.apply(connection);
		};
	}

	/**
	 * Ask Redis for a lock in a way that keeps it from serving others on the same
	 * connection.
	 */
	<T extends @Nullable Object> T askAlone(@Nullable String key, Function<RedisConnection, T> question) {
		return ask(this.ownConnections, key, question);
	}

	/**
	 * Ask Redis. An interrupt that came before is put off until after it, since Lettuce
	 * would refuse to send anything; one that comes meanwhile is not forgotten, as the
	 * connection pool does. After an error, Jedis may keep a connection on which a reply
	 * is still to come.
	 */
	private <T extends @Nullable Object> T ask(RedisConnections through, @Nullable String key,
			Function<RedisConnection, T> question) {
		boolean interrupted = Thread.interrupted();
		try {
			return through.use(question);
		}
		catch (LockStoreException ex) {
			throw ex;
		}
		catch (MisplacedReplyException ex) {
			replaceConnections(ex);
			throw RedisFailures.translate(key, ex);
		}
		catch (RuntimeException ex) {
			interrupted |= RedisFailures.isInterrupt(ex);
			throw RedisFailures.translate(key, ex);
		}
		catch (Error ex) {
			replaceConnections(ex);
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void replaceConnections(Throwable reason) {
		if (this.source.factory() instanceof LockConnections own && own.replaceAll()) {
			logger.warn("Replacing the connections for locks, one of them may be out of step: {}", LogText.of(reason));
		}
	}

	@Override
	public void close() {
		this.ownConnections.close();
		this.source.close();
	}

}
