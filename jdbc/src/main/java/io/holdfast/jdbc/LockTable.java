package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.rules.LockRules;
import io.holdfast.rules.LockState;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the table with the locks.
 */
final class LockTable {

	// Leases that are longer count as this long, so that times can be compared
	private static final Duration LONGEST = Duration.ofDays(20_000);

	private final String name;

	private final RowKeys rowKeys;

	private final Duration tokenRetention;

	/**
	 * Create a table.
	 * @param name its name
	 * @param rowKeys the keys of its rows
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 */
	LockTable(String name, RowKeys rowKeys, Duration tokenRetention) {
		this.name = name;
		this.rowKeys = rowKeys;
		this.tokenRetention = tokenRetention;
	}

	/**
	 * Take a lock that is free and that nobody waits for.
	 * @return its token, or 0 if it is not, or has no row
	 */
	long take(Connection connection, Dialect dialect, Claim claim) throws SQLException {
		long lease = micros(claim.lease());
		try (PreparedStatement statement = connection.prepareStatement(dialect.take(this.name),
				(dialect == Dialect.MYSQL) ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS)) {
			set(statement, claim.owner(), claim.name(), lease, lease + micros(this.tokenRetention),
					this.rowKeys.of(claim.keys().get(0)));
			statement.execute();
			// Canceled while it waited for a standby, PostgreSQL commits and says so
			if (dialect == Dialect.POSTGRESQL && statement.getWarnings() != null) {
				throw statement.getWarnings();
			}
			try (ResultSet tokens = (dialect == Dialect.MYSQL) ? statement.getGeneratedKeys()
					: statement.getResultSet()) {
				return tokens.next() ? tokens.getLong(1) : 0;
			}
		}
	}

	private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
			throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql);
		set(statement, parameters);
		return statement;
	}

	private static void set(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
		for (int i = 0; i < parameters.length; i++) {
			statement.setObject(i + 1, parameters[i]);
		}
	}

	private static int update(Connection connection, String sql, Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(connection, sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	/**
	 * Free an exclusive lock that nobody waits for.
	 * @return whether it was
	 */
	boolean free(Connection connection, Dialect dialect, HoldId hold) throws SQLException {
		Grant grant = hold.grants().get(0);
		return update(connection, dialect.free(this.name), LockRow.released(grant.token(), hold.holder()),
				micros(this.tokenRetention), this.rowKeys.of(grant.key()), hold.holder(), grant.token()) == 1;
	}

	static Set<String> keys(List<Renewal> renewals) {
		return renewals.stream().flatMap((renewal) -> renewal.hold().keys().stream()).collect(Collectors.toSet());
	}

	/**
	 * Read the rows of keys, in the order of the rows.
	 */
	Read read(Connection connection, Dialect dialect, Collection<String> keys, Rows how) throws SQLException {
		Map<String, String> byRow = new TreeMap<>();
		keys.forEach((key) -> byRow.put(this.rowKeys.of(key), key));
		Map<String, LockRow> rows = new LinkedHashMap<>();
		long now = Long.MAX_VALUE;
		try (PreparedStatement statement = prepare(connection, dialect.read(this.name, byRow.size(), how),
				byRow.keySet().toArray()); ResultSet found = statement.executeQuery()) {
			while (found.next()) {
				rows.put(asked(found.getString(1), byRow), LockRow.read(found));
				now = Math.min(now, LockRow.nanos(found.getObject("db_now", LocalDateTime.class)));
			}
		}
		return new Read(rows, rows.isEmpty() ? 0 : now);
	}

	private String asked(String row, Map<String, String> byRow) {
		String key = byRow.get(row);
		if (key == null) {
			throw new LockStoreException("Column lock_key of table %s needs a collation that tells '%s' from '%s'"
				.formatted(this.name, String.join("', '", byRow.keySet()), row), null, false);
		}
		return key;
	}

	/**
	 * Return which of the rows that could not be read and locked are there.
	 */
	Set<String> lockedByOthers(Connection connection, Dialect dialect, Set<String> keys, Read read)
			throws SQLException {
		Set<String> missing = new HashSet<>(keys);
		missing.removeAll(read.rows().keySet());
		return missing.isEmpty() ? missing : read(connection, dialect, missing, Rows.SEEN).rows().keySet();
	}

	/**
	 * Make the row of a key.
	 * @return whether there was none a moment before
	 */
	boolean create(Connection connection, Dialect dialect, String key) throws SQLException {
		String row = this.rowKeys.of(key);
		return update(connection, dialect.create(this.name), row, micros(this.tokenRetention), row) == 1;
	}

	/**
	 * Write the states that differ from those that were read.
	 * @param grants whether there is a hold or a lease that there was not
	 * @param besidePins whether that may be while a transaction commits
	 * @throws BusyException if it may not, and one does
	 */
	void write(Connection connection, Dialect dialect, Read before, Map<String, LockState> states, boolean grants,
			boolean besidePins) throws SQLException {
		try (PreparedStatement statement = prepare(connection, dialect.write(this.name, grants, besidePins))) {
			for (Map.Entry<String, LockRow> present : before.rows().entrySet()) {
				String key = present.getKey();
				LockState state = states.getOrDefault(key, LockState.FREE);
				LockRow row = LockRow.of(state, RowKeys.isPlain(key) ? null : key);
				if (!row.equals(present.getValue())) {
					LocalDateTime expires = LockRow.unusedFrom(state, before.now())
						.plus(micros(this.tokenRetention), ChronoUnit.MICROS);
					set(statement, row.holder(), row.claim(), row.mode(), row.token(), row.holds(), row.leaseEnd(),
							row.released(), row.state(), expires, this.rowKeys.of(key));
					statement.addBatch();
				}
			}
			int[] written = statement.executeBatch();
			if (!besidePins && Arrays.stream(written).anyMatch((rows) -> rows == 0)) {
				throw busy(String.join("', '", states.keySet()));
			}
		}
	}

	static BusyException busy(String key) {
		return new BusyException(
				"A transaction that commits under lock '%s', or another request, keeps its row".formatted(key), null);
	}

	/**
	 * Return some of the keys that are held.
	 */
	List<String> held(Connection connection, Dialect dialect, int most) throws SQLException {
		List<String> keys = new ArrayList<>();
		try (PreparedStatement statement = prepare(connection, dialect.held(this.name), this.rowKeys.prefix().length(),
				this.rowKeys.prefix(), most); ResultSet found = statement.executeQuery()) {
			while (found.next()) {
				String state = found.getString("state");
				String whole = (state != null) ? StateText.keyIn(state) : null;
				keys.add((whole != null) ? whole : this.rowKeys.keyOf(found.getString(1)));
			}
		}
		return keys;
	}

	/**
	 * Look at some rows, and remove those that are not needed.
	 * @param after the row after which to begin
	 * @return the last of these rows, or nothing if there are no more
	 */
	String removeSome(Connection connection, Dialect dialect, String after, int most) throws SQLException {
		List<String> over = new ArrayList<>();
		String last = "";
		int seen = 0;
		try (PreparedStatement page = prepare(connection, dialect.page(this.name), after, most);
				ResultSet found = page.executeQuery()) {
			for (; found.next(); seen++) {
				last = found.getString(1);
				if (found.getBoolean(2)) {
					over.add(last);
				}
			}
		}
		for (String row : over) {
			update(connection, dialect.remove(this.name), row);
		}
		return (seen == most) ? last : "";
	}

	private static long micros(Duration duration) {
		Duration limited = (duration.compareTo(LONGEST) < 0) ? duration : LONGEST;
		return TimeUnit.NANOSECONDS.toMicros(limited.plusNanos(999).toNanos());
	}

	/**
	 * Rows that were read.
	 *
	 * @param rows the row of each key that has one
	 * @param now the time of the database, in nanoseconds
	 */
	record Read(Map<String, LockRow> rows, long now) {

		LockRules rules(Collection<String> keys) {
			Map<String, LockState> states = new HashMap<>();
			keys.forEach((key) -> {
				LockRow row = this.rows.get(key);
				states.put(key, (row != null) ? row.toState(this.now) : LockState.FREE);
			});
			return new LockRules(states, this.now, TimeUnit.NANOSECONDS.toMicros(this.now));
		}

	}

}
