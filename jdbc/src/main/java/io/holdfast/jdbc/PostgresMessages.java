package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStore.Subscription;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a channel of PostgreSQL, with a connection of its own, until it is closed.
 * Of other databases, it only learns what they are.
 */
final class PostgresMessages implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(PostgresMessages.class);

	private static final int ASK_AFTER_MILLIS = 5000;

	private static final int ANSWER_WITHIN_MILLIS = 5000;

	private static final int RETRY_MILLIS = 500;

	private final Connections connections;

	private final String channel;

	private final Consumer<String> listener;

	private volatile Subscription state = Subscription.IDLE;

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile @Nullable Connection connection;

	PostgresMessages(Connections connections, String channel, Consumer<String> listener) {
		this.connections = connections;
		this.channel = channel;
		this.listener = listener;
		DaemonThreads.named("holdfast-wake-ups").newThread(this::run).start();
	}

	Subscription state() {
		return this.state;
	}

	private boolean isClosed() {
		return this.closed.getCount() == 0;
	}

	private void run() {
		while (!isClosed()) {
			try {
				listen();
			}
			catch (Throwable ex) {
				broken(ex);
			}
		}
	}

	private void broken(Throwable failure) {
		if (this.state != Subscription.BROKEN && !isClosed()) {
			logger.warn("Messages of released locks do not arrive, so waiting callers ask regularly: {}",
					failure.toString());
		}
		this.state = Subscription.BROKEN;
		try {
			this.closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			this.closed.countDown(); // nobody interrupts it but to end it
		}
	}

	private void listen() throws SQLException {
		if (this.connections.dialect() != Dialect.POSTGRESQL) {
			this.state = Subscription.ACTIVE; // as much as can be
			this.closed.countDown();
			return;
		}
		try (Connection opened = this.connections.openAnother()) {
			this.connection = opened;
			opened.setAutoCommit(true);
			opened.setNetworkTimeout(Runnable::run, ASK_AFTER_MILLIS + ANSWER_WITHIN_MILLIS);
			PGConnection postgres = opened.unwrap(PGConnection.class);
			execute(opened, "listen " + this.channel);
			if (this.state == Subscription.BROKEN) {
				logger.info("Messages of released locks arrive again");
			}
			this.state = Subscription.ACTIVE;
			this.listener.accept("");
			while (!isClosed()) {
				PGNotification[] messages = postgres.getNotifications(ASK_AFTER_MILLIS);
				for (PGNotification message : messages) {
					this.listener.accept(message.getParameter());
				}
				if (messages.length == 0) { // a connection that is dead does not say so
					execute(opened, "select 1");
				}
			}
		}
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		Connection open = this.connection;
		if (open != null) {
			try {
				open.abort(Runnable::run);
			}
			catch (SQLException ex) {
				// it ends with the next message
			}
		}
	}

}
