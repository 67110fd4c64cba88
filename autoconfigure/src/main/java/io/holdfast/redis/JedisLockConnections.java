package io.holdfast.redis;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections of Jedis. They are those of a factory that is started when the first is
 * asked for, but not before it is time: the application may still have to start its own,
 * which may fail.
 *
 * @since 0.1.0
 */
public final class JedisLockConnections implements LockConnections {

	private static final Logger logger = LoggerFactory.getLogger(JedisLockConnections.class);

	private static final Duration GRACE = Duration.ofSeconds(1);

	private final Supplier<? extends JedisConnectionFactory> factories;

	private final Duration longestWait;

	private final BooleanSupplier ready;

	private final Queue<Replaced> replaced = new ConcurrentLinkedQueue<>();

	private volatile JedisConnectionFactory current;

	private volatile boolean outOfStep;

	/**
	 * Create connections.
	 * @param factories makes factories that are not started
	 * @param longestWait how long their pools have callers wait for a connection at most
	 * @param ready whether it is time to start
	 */
	public JedisLockConnections(Supplier<? extends JedisConnectionFactory> factories, Duration longestWait,
			BooleanSupplier ready) {
		this.factories = factories;
		this.longestWait = longestWait;
		this.ready = ready;
		this.current = fresh();
	}

	private JedisConnectionFactory fresh() {
		JedisConnectionFactory factory = this.factories.get();
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return factory;
	}

	@Override
	public RedisConnection getConnection() {
		return started().getConnection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return started().getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return started().getSentinelConnection();
	}

	private JedisConnectionFactory started() {
		JedisConnectionFactory seen = this.current;
		return (seen.isRunning() && !this.outOfStep && !isOneToBeClosed()) ? seen : started(seen);
	}

	/**
	 * Whoever had to wait for an attempt that failed does not make one more.
	 */
	private synchronized JedisConnectionFactory started(JedisConnectionFactory seen) {
		while (isOneToBeClosed()) {
			this.replaced.remove().factory().destroy();
		}
		if (seen == this.current) {
			replaceIfOutOfStep();
			startIfReady();
		}
		return this.current;
	}

	private boolean isOneToBeClosed() {
		Replaced oldest = this.replaced.peek();
		return oldest != null && System.nanoTime() - oldest.closeAt() >= 0;
	}

	/**
	 * One that has been stopped opens new connections anyway, or none if it is for good.
	 * Others go on with the old connections meanwhile, and so do all if there are no new
	 * ones to be had: whoever gets a reply to another question notices.
	 */
	private void replaceIfOutOfStep() {
		if (!this.outOfStep) {
			return;
		}
		this.outOfStep = false;
		try {
			if (this.current.isRunning()) {
				replace();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Could not replace the connections for locks", ex);
		}
		catch (Error ex) {
			this.outOfStep = true;
			throw ex;
		}
	}

	/**
	 * A pool that is closed interrupts who waits for a connection, so the old one is
	 * closed when nobody can.
	 */
	private void replace() {
		long closeAt = System.nanoTime() + this.longestWait.plus(GRACE).toNanos();
		Replaced old = new Replaced(this.current, closeAt);
		JedisConnectionFactory next = fresh();
		next.start();
		this.current = next;
		this.replaced.add(old);
	}

	/**
	 * A factory that has failed to start, because no Sentinel or no node of a Cluster
	 * could be reached, never does: the next attempt is made with another one.
	 */
	private void startIfReady() {
		if (!this.current.isRunning() && this.ready.getAsBoolean()) {
			try {
				this.current.start();
			}
			catch (RuntimeException | Error ex) {
				this.current = fresh();
				throw ex;
			}
		}
	}

	@Override
	public synchronized void stop() {
		closeReplaced();
		this.current.stop();
	}

	private void closeReplaced() {
		for (Replaced old = this.replaced.poll(); old != null; old = this.replaced.poll()) {
			old.factory().destroy();
		}
	}

	/**
	 * Whoever asks for a connection next does it: here, not much may be left of the
	 * stack.
	 */
	@Override
	public boolean replaceAll() {
		boolean before = this.outOfStep;
		this.outOfStep = true;
		return !before;
	}

	@Override
	public synchronized void destroy() {
		closeReplaced();
		this.current.destroy();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.current.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.current.translateExceptionIfPossible(ex);
	}

	/**
	 * Connections that others may still wait for.
	 *
	 * @param closeAt when nobody does any more
	 */
	private record Replaced(JedisConnectionFactory factory, long closeAt) {

	}

}
