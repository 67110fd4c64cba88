package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.jdbc.LockTable.Read;
import io.holdfast.rules.LockRules;
import io.holdfast.rules.LockState;

/**
 * Answers requests by the rules: with the rows locked, in one transaction, which also
 * sends the wake-ups.
 */
final class LockSteps {

	private final Connections connections;

	private final LockTable table;

	private final WakeUps wakeUps;

	LockSteps(Connections connections, LockTable table, WakeUps wakeUps) {
		this.connections = connections;
		this.table = table;
		this.wakeUps = wakeUps;
	}

	/**
	 * Answer a request about locks that have rows.
	 * @param keys the keys of the locks
	 * @param request what is asked
	 */
	<T> T step(Collection<String> keys, Function<LockRules, T> request) {
		return step(keys, false, Rows.LOCKED, request);
	}

	/**
	 * Answer a request.
	 * @param keys the keys of the locks
	 * @param acquires whether it is to acquire them
	 * @param how how their rows are read. If they are locked while they are free, those
	 * that are missing are made
	 * @param request what is asked
	 * @throws BusyException at once if a row is not free
	 */
	<T> T step(Collection<String> keys, boolean acquires, Rows how, Function<LockRules, T> request) {
		String lock = (keys.size() == 1) ? keys.iterator().next() : null;
		return this.connections.call(lock, acquires, (connection, dialect) -> {
			while (true) {
				begin(connection);
				Read read = this.table.read(connection, dialect, keys, how);
				if (how != Rows.LOCKED_IF_FREE || read.rows().size() == keys.size()) {
					return answer(connection, dialect, read, keys, request);
				}
				// Rows of others are not locked meanwhile
				end(connection);
				for (String key : new TreeSet<>(keys)) {
					if (!read.rows().containsKey(key) && !this.table.create(connection, dialect, key)) {
						throw new BusyException("The row of lock '%s' is locked".formatted(key), null);
					}
				}
			}
		});
	}

	<T> T answer(Connection connection, Dialect dialect, Read read, Collection<String> keys,
			Function<LockRules, T> request) throws SQLException {
		LockRules rules = read.rules(keys);
		Map<String, LockState> before = rules.states();
		T answer = request.apply(rules);
		Map<String, LockState> after = rules.states();
		boolean grants = after.entrySet()
			.stream()
			.anyMatch((lock) -> !before.getOrDefault(lock.getKey(), LockState.FREE)
				.shares()
				.containsAll(lock.getValue().shares()));
		this.table.write(connection, dialect, read, after, grants);
		this.wakeUps.send(connection, dialect, rules.wakeUps());
		end(connection);
		this.wakeUps.tellOwn(rules.wakeUps());
		return answer;
	}

	static void begin(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
	}

	static void end(Connection connection) throws SQLException {
		connection.commit();
		connection.setAutoCommit(true);
	}

}
