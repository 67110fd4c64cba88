package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.holdfast.redis.ReplaceableConnections;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Hands out connections of a factory that is started when the first is asked for, but not
 * before it is time: the application may still have to start its own, which may fail.
 */
final class JedisReservedFactory implements ReplaceableConnections, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(JedisReservedFactory.class);

	private static final long GRACE_MILLIS = 1_000;

	private final Supplier<JedisConnectionFactory> copies;

	private final Duration longestWait;

	private final BooleanSupplier ready;

	private volatile JedisConnectionFactory own;

	private volatile boolean outOfStep;

	/**
	 * Create a factory.
	 * @param copies makes factories that are not started
	 * @param longestWait how long their pools have callers wait for a connection at most
	 * @param ready whether it is time to start
	 */
	JedisReservedFactory(Supplier<JedisConnectionFactory> copies, Duration longestWait, BooleanSupplier ready) {
		this.copies = copies;
		this.longestWait = longestWait;
		this.ready = ready;
		this.own = fresh();
	}

	private JedisConnectionFactory fresh() {
		JedisConnectionFactory copy = this.copies.get();
		copy.setEarlyStartup(false);
		copy.afterPropertiesSet();
		return copy;
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
		JedisConnectionFactory current = this.own;
		return (current.isRunning() && !this.outOfStep) ? current : started(current);
	}

	/**
	 * Whoever had to wait for an attempt that failed does not make one more.
	 */
	private synchronized JedisConnectionFactory started(JedisConnectionFactory seen) {
		if (seen == this.own) {
			replaceIfOutOfStep();
			startIfReady();
		}
		return this.own;
	}

	/**
	 * One that has been stopped opens new connections anyway, or none if it is for good.
	 */
	private void replaceIfOutOfStep() {
		if (this.outOfStep) {
			this.outOfStep = false;
			if (this.own.isRunning()) {
				replace(this.own);
			}
		}
	}

	/**
	 * Others go on with the old connections meanwhile, and so do all if there are no new
	 * ones to be had: whoever gets a reply to another question notices. A pool that is
	 * closed interrupts who waits for a connection, so it is closed when nobody can.
	 */
	private void replace(JedisConnectionFactory old) {
		JedisConnectionFactory next = fresh();
		try {
			next.start();
		}
		catch (RuntimeException ex) {
			logger.debug("Could not replace the connections for locks", ex);
			return;
		}
		this.own = next;
		CompletableFuture.delayedExecutor(this.longestWait.toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS)
			.execute(old::destroy);
	}

	/**
	 * A factory that has failed to start, because no Sentinel or no node of a Cluster
	 * could be reached, never does: the next attempt is made with another one.
	 */
	private void startIfReady() {
		if (!this.own.isRunning() && this.ready.getAsBoolean()) {
			try {
				this.own.start();
			}
			catch (RuntimeException | Error ex) {
				this.own = fresh();
				throw ex;
			}
		}
	}

	/**
	 * Close what is open, until the next connection is asked for.
	 */
	synchronized void stop() {
		this.own.stop();
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
		this.own.destroy();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.own.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.own.translateExceptionIfPossible(ex);
	}

}
