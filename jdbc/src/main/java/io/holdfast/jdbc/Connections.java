package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcUtils;

/**
 * The few connections that locks use. Those of their own are kept open; borrowed ones are
 * given back after each request, as they were.
 */
final class Connections implements AutoCloseable {

	private static final int MOST = 4;

	// One is left for renewals and releases
	private static final int MOST_TO_ACQUIRE = MOST - 1;

	// A firewall forgets connections that are idle for long, and so do some servers
	private static final long LONGEST_IDLE = TimeUnit.SECONDS.toNanos(50);

	private static final int ATTEMPTS = 4;

	private static final int UNLIMITED = -1;

	private final ConnectionSource source;

	private final Duration timeout;

	private final Semaphore all = new Semaphore(MOST);

	private final Semaphore acquiring = new Semaphore(MOST_TO_ACQUIRE);

	private final Deque<Opened> idle = new ArrayDeque<>();

	private volatile @Nullable Dialect dialect;

	private boolean closed;

	// Waits for no answer longer than the timeout
	Connections(ConnectionSource source, Duration timeout) {
		this.source = source;
		this.timeout = timeout;
	}

	/**
	 * Make a request, on one of the connections that renewals and releases do not need if
	 * it is to acquire. Requests can be repeated: one that the database gave up for
	 * another one is, and so is one over a connection that was closed while it was idle.
	 * One whose answer took too long may be carried out late: who asks must know that.
	 */
	<T> T call(@Nullable String lock, boolean acquires, Request<T> request) {
		if (!acquires) {
			return admitted(this.all, false, () -> answer(lock, request));
		}
		return admitted(this.acquiring, true, () -> admitted(this.all, true, () -> answer(lock, request)));
	}

	private <T> T admitted(Semaphore permits, boolean interruptible, Supplier<T> request) {
		admit(permits, interruptible);
		try {
			return request.get();
		}
		finally {
			permits.release();
		}
	}

	// What ends a hold goes through on a thread that is interrupted
	private void admit(Semaphore permits, boolean interruptible) {
		boolean interrupted = !interruptible && Thread.interrupted();
		try {
			if (!permits.tryAcquire(this.timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new LockStoreException(
						"No connection for locks was free for %d ms".formatted(this.timeout.toMillis()), null, true);
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
			if (interruptible) {
				throw new LockStoreException("Interrupted while waiting for a connection", ex, true);
			}
			admit(permits, false);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private <T> T answer(@Nullable String lock, Request<T> request) {
		try {
			return attempt(request);
		}
		catch (SQLException ex) {
			throw SqlFailures.translate(lock, ex, this.dialect != null);
		}
	}

	private <T> T attempt(Request<T> request) throws SQLException {
		for (int attempt = 1;; attempt++) {
			Opened present = take();
			Opened opened = (present != null) ? present : open();
			Connection connection = opened.connection();
			boolean useless = false;
			try {
				return request.on(connection, dialect(connection));
			}
			catch (SQLException ex) {
				useless = SqlFailures.isConnectionUseless(ex) || connection.isClosed();
				boolean again = SqlFailures.isConflict(ex)
						|| (useless && present != null && !SqlFailures.isTimeout(ex));
				if (!again || attempt == ATTEMPTS || Thread.currentThread().isInterrupted()) {
					throw ex;
				}
			}
			finally {
				giveBack(opened, useless);
			}
		}
	}

	private synchronized @Nullable Opened take() {
		long now = System.nanoTime();
		while (!this.idle.isEmpty() && now - this.idle.getLast().idleSince() > LONGEST_IDLE) {
			JdbcUtils.closeConnection(this.idle.removeLast().connection());
		}
		return this.idle.pollFirst();
	}

	private Opened open() throws SQLException {
		Connection connection = this.source.open(this.timeout);
		try {
			return prepare(connection);
		}
		catch (SQLException | RuntimeException ex) {
			JdbcUtils.closeConnection(connection);
			throw ex;
		}
	}

	private Opened prepare(Connection connection) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		connection.setAutoCommit(true);
		int isolation = connection.getTransactionIsolation();
		if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
			connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		}
		int answer = limitAnswers(connection);
		if (this.source.isOwn()) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(dialect(connection).waitForRows());
			}
		}
		return new Opened(connection, autoCommit, isolation, answer, 0);
	}

	// Returns what the limit was, if there can be one
	private int limitAnswers(Connection connection) {
		try {
			int before = connection.getNetworkTimeout();
			connection.setNetworkTimeout(Runnable::run, (int) this.timeout.toMillis());
			return before;
		}
		catch (SQLException | AbstractMethodError ex) {
			return UNLIMITED;
		}
	}

	private Dialect dialect(Connection connection) throws SQLException {
		Dialect known = this.dialect;
		if (known == null) {
			known = Dialect.of(connection);
			this.dialect = known;
		}
		return known;
	}

	/**
	 * Return what the database is, asking it if that is not known yet.
	 */
	Dialect dialect() {
		Dialect known = this.dialect;
		return (known != null) ? known : call(null, false, (connection, dialect) -> dialect);
	}

	// As far as it is known
	@Nullable Dialect knownDialect() {
		return this.dialect;
	}

	/**
	 * Open a connection that is not one of these, for somebody who closes it.
	 */
	Connection openAnother() throws SQLException {
		return this.source.open(this.timeout);
	}

	// What one connection is no use for, others that are idle are none for, either
	private void giveBack(Opened opened, boolean isUseless) {
		boolean useless = isUseless;
		try {
			if (!useless && isKept(opened)) {
				return;
			}
		}
		catch (SQLException ex) {
			useless = true;
		}
		JdbcUtils.closeConnection(opened.connection());
		if (useless && !Thread.currentThread().isInterrupted()) { // else it was that
			closeIdle();
		}
	}

	// Resets a connection, and keeps it if it is one of their own
	private boolean isKept(Opened opened) throws SQLException {
		if (!opened.connection().getAutoCommit()) { // it did not commit
			opened.connection().rollback();
			opened.connection().setAutoCommit(true);
		}
		if (!this.source.isOwn()) {
			opened.restore();
			return false;
		}
		synchronized (this) {
			return !this.closed && this.idle.offerFirst(opened.idle());
		}
	}

	synchronized void closeIdle() {
		this.idle.forEach((other) -> JdbcUtils.closeConnection(other.connection()));
		this.idle.clear();
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		closeIdle();
	}

	/**
	 * A request, and its answer.
	 *
	 * @param <T> the answer
	 */
	@FunctionalInterface
	interface Request<T> {

		T on(Connection connection, Dialect dialect) throws SQLException;

	}

	/**
	 * A connection, and what it was like.
	 */
	private record Opened(Connection connection, boolean autoCommit, int isolation, int answer, long idleSince) {

		private Opened idle() {
			return new Opened(this.connection, this.autoCommit, this.isolation, this.answer, System.nanoTime());
		}

		private void restore() throws SQLException {
			if (this.isolation != Connection.TRANSACTION_READ_COMMITTED) {
				this.connection.setTransactionIsolation(this.isolation);
			}
			if (!this.autoCommit) {
				this.connection.setAutoCommit(false);
			}
			if (this.answer != UNLIMITED) {
				this.connection.setNetworkTimeout(Runnable::run, this.answer);
			}
		}

	}

}
