package io.holdfast.jdbc;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes rows that are not needed any more, a few at a time, while locks are acquired.
 * Their tokens need not be remembered: later ones begin with the time.
 */
final class Remover {

	private static final Logger logger = LoggerFactory.getLogger(Remover.class);

	// Rows are removed faster than an application that has a key for each order makes
	// them
	private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

	private static final int PAGE = 500;

	private final Connections connections;

	private final LockTable table;

	private final Executor executor = DaemonThreads.pool("holdfast-remover", 1, 1);

	private final AtomicLong next = new AtomicLong(System.nanoTime() + INTERVAL);

	private volatile String last = "";

	Remover(Connections connections, LockTable table) {
		this.connections = connections;
		this.table = table;
	}

	void runSometimes() {
		long due = this.next.get();
		long now = System.nanoTime();
		if (now - due >= 0 && this.next.compareAndSet(due, now + INTERVAL)) {
			try {
				this.executor.execute(this::run);
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				logger.debug("Rows of locks are removed later", ex);
			}
		}
	}

	void run() {
		try {
			this.last = this.connections.call(null, false,
					(connection, dialect) -> this.table.removeSome(connection, dialect, this.last, PAGE));
		}
		catch (RuntimeException ex) {
			logger.debug("Rows of locks could not be removed", ex);
		}
	}

}
