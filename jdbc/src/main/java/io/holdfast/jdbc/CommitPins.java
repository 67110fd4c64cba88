package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.rules.LockRules;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import javax.sql.DataSource;

/**
 * Has the holds of a thread last until the transaction that it commits has ended, if that
 * is on the database with the locks: their rows are locked in it, and whoever comes next
 * must change them.
 */
final class CommitPins {

	private final ConnectionSource source;

	private final Connections connections;

	private final LockTable table;

	CommitPins(ConnectionSource source, Connections connections, LockTable table) {
		this.source = source;
		this.connections = connections;
		this.table = table;
	}

	List<RenewalOutcome> pin(List<Renewal> renewals) {
		Set<String> keys = LockTable.keys(renewals);
		try {
			Connection connection = connectionOfTransaction();
			if (connection == null) {
				return List.of();
			}
			LockRules rules = this.table.read(connection, this.connections.dialect(), keys, Rows.PINNED).rules(keys);
			return renewals.stream().map(rules::renew).map(CommitPins::asLongAsBefore).toList();
		}
		catch (SQLException ex) {
			if (SqlFailures.isTransactionAborted(ex)) {
				return List.of(); // its commit writes nothing
			}
			throw SqlFailures.translate(null, ex, true);
		}
	}

	// The clock of some databases stands still in a transaction
	private static RenewalOutcome asLongAsBefore(RenewalOutcome outcome) {
		return (outcome instanceof Renewed) ? new Renewed(Duration.ZERO) : outcome;
	}

	// Others of this thread, which goes on with them after the commit, are left alone
	private @Nullable Connection connectionOfTransaction() throws SQLException {
		if (TransactionSynchronizationManager
			.getResource(LockStore.COMMITTING) instanceof DefaultTransactionStatus status
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport transaction
				&& transaction.hasConnectionHolder() && isOnDatabase(transaction.getConnectionHolder())) {
			Connection connection = transaction.getConnectionHolder().getConnection();
			return canPin(connection) ? connection : null;
		}
		return null;
	}

	private boolean isOnDatabase(ConnectionHolder holder) {
		return TransactionSynchronizationManager.getResourceMap()
			.entrySet()
			.stream()
			.anyMatch((resource) -> resource.getValue() == holder && resource.getKey() instanceof DataSource dataSource
					&& this.source.isFrom(dataSource));
	}

	// Databases that show a transaction only what was there when it began refuse to lock
	// a row that was changed since. They refuse to change what else was changed, too.
	// PostgreSQL locks no row for a transaction that can write nothing
	private boolean canPin(Connection connection) throws SQLException {
		return !connection.getAutoCommit() && (this.connections.dialect() == Dialect.MYSQL || (!connection.isReadOnly()
				&& connection.getTransactionIsolation() <= Connection.TRANSACTION_READ_COMMITTED));
	}

}
