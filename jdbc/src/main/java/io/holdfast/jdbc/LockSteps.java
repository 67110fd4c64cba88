package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.jdbc.LockTable.Read;
import io.holdfast.rules.LockRules;
import io.holdfast.rules.WakeUp;

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
	 * Answer a request.
	 * @param keys the keys of the locks
	 * @param creates whether locks without a row get one
	 * @param request what is asked
	 */
	<T> T step(Collection<String> keys, boolean creates, Function<LockRules, T> request) {
		return step(keys, false, creates, Rows.LOCKED, request);
	}

	/**
	 * Answer a request to acquire.
	 * @param keys the keys of the locks
	 * @param atOnce whether no transaction that has a row locked is waited for
	 * @param request what is asked
	 */
	<T> T acquire(Collection<String> keys, boolean atOnce, Function<LockRules, T> request) {
		return step(keys, true, true, atOnce ? Rows.LOCKED_AT_ONCE : Rows.LOCKED, request);
	}

	boolean release(HoldId hold) {
		return step(hold.keys(), false, false, Rows.LOCKED_TO_FREE, (rules) -> rules.release(hold));
	}

	private <T> T step(Collection<String> keys, boolean acquires, boolean creates, Rows how,
			Function<LockRules, T> request) {
		String lock = (keys.size() == 1) ? keys.iterator().next() : null;
		Step<T> step = this.connections.call(lock, acquires, (connection, dialect) -> {
			while (true) {
				begin(connection);
				Read read = this.table.read(connection, dialect, keys, how);
				if (!creates || read.rows().size() == keys.size()) {
					return answer(connection, dialect, read, keys, request);
				}
				// Rows of others are not locked meanwhile
				end(connection);
				for (String key : new TreeSet<>(keys)) {
					if (!read.rows().containsKey(key)) {
						this.table.create(connection, dialect, key);
					}
				}
			}
		});
		this.wakeUps.tellOwn(step.wakeUps());
		return step.answer();
	}

	<T> Step<T> answer(Connection connection, Dialect dialect, Read read, Collection<String> keys,
			Function<LockRules, T> request) throws SQLException {
		LockRules rules = read.rules(keys);
		T answer = request.apply(rules);
		this.table.write(connection, dialect, read, rules.states());
		this.wakeUps.send(connection, dialect, rules.wakeUps());
		end(connection);
		return new Step<>(answer, rules.wakeUps());
	}

	static void begin(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
	}

	static void end(Connection connection) throws SQLException {
		connection.commit();
		connection.setAutoCommit(true);
	}

	/**
	 * What came of a request.
	 *
	 * @param answer the answer
	 * @param wakeUps who was to be told
	 * @param <T> the answer
	 */
	record Step<T>(T answer, List<WakeUp> wakeUps) {
	}

}
