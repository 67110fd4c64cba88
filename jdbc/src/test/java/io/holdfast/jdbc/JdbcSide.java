package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.holdfast.differential.Side;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.jdbc.LockTable.Read;
import io.holdfast.rules.LockState;
import io.holdfast.rules.LockState.Place;
import io.holdfast.rules.LockState.Share;
import io.holdfast.rules.WakeUp;

import static org.awaitility.Awaitility.await;

/**
 * Locks in a real database. Its clock cannot be moved: what is in its rows is.
 */
final class JdbcSide extends Side {

	/**
	 * Longer than any sequence of calls goes on, by its own time.
	 */
	private static final Duration TOKEN_RETENTION = Duration.ofDays(10_000);

	/**
	 * How long after its last use a row is removed, when that is done: longer than the
	 * calls of a sequence take by real time.
	 */
	private static final Duration UNUSED = Duration.ofMinutes(20);

	private static final long BACK_MICROS = TimeUnit.SECONDS.toMicros(10);

	private final TestDatabase database;

	private final List<String> keys;

	private final Connections operator;

	private final RowKeys rowKeys = new RowKeys("holdfast");

	private final LockTable table = new LockTable("holdfast_lock", this.rowKeys, TOKEN_RETENTION);

	private final WakeUps messages;

	private final Map<String, JdbcLockStore> stores = new HashMap<>();

	JdbcSide(TestDatabase database, List<String> keys) {
		this.database = database;
		this.keys = keys;
		database.start();
		JdbcStores.createTable(database, "holdfast_");
		this.operator = new Connections(new ConnectionSource(database.dataSource()), JdbcStores.TIMEOUT);
		this.messages = new WakeUps("holdfast_lock", this.operator);
		INSTANCES.forEach((instance) -> {
			JdbcLockStore store = JdbcStores.newStore(database.dataSource(), TOKEN_RETENTION);
			store.listen(instance, wakeUps(instance));
			this.stores.put(instance, store);
		});
		await().until(
				() -> this.stores.values().stream().allMatch((store) -> store.subscription() == Subscription.ACTIVE));
	}

	@Override
	protected LockStore store(String instance) {
		return this.stores.get(instance);
	}

	@Override
	protected void clear() {
		this.operator.call(null, false, (connection, dialect) -> {
			try (Statement statement = connection.createStatement()) {
				return statement.executeUpdate("delete from holdfast_lock");
			}
		});
	}

	@Override
	protected boolean sendsMessages() {
		return this.operator.dialect() == Dialect.POSTGRESQL;
	}

	@Override
	protected void tellEnd(String instance) {
		if (!sendsMessages()) {
			wakeUps(instance).wakeUp(END, instance + ":");
			return;
		}
		WakeUp end = new WakeUp(WakeUp.Kind.MAY_TRY, END, instance + ":", 0);
		this.operator.call(null, false, (connection, dialect) -> {
			this.messages.send(connection, dialect, List.of(end));
			return end;
		});
	}

	@Override
	protected void pass(int hours) {
		long passed = TimeUnit.HOURS.toNanos(hours);
		this.operator.call(null, false, (connection, dialect) -> {
			Map<String, LocalDateTime> expiries = expiries(connection);
			Read read = this.table.read(connection, dialect, this.keys, Rows.SEEN);
			write(connection, dialect, read, (lock) -> earlier(lock, passed));
			for (Map.Entry<String, LocalDateTime> expiry : expiries.entrySet()) {
				expire(connection, expiry.getKey(), expiry.getValue().minusHours(hours));
			}
			return read;
		});
	}

	private static Map<String, LocalDateTime> expiries(Connection connection) throws SQLException {
		Map<String, LocalDateTime> expiries = new HashMap<>();
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("select lock_key, expires from holdfast_lock")) {
			while (rows.next()) {
				expiries.put(rows.getString(1), rows.getObject(2, LocalDateTime.class));
			}
		}
		return expiries;
	}

	private static void expire(Connection connection, String row, LocalDateTime time) throws SQLException {
		try (PreparedStatement statement = connection
			.prepareStatement("update holdfast_lock set expires = ? where lock_key = ?")) {
			statement.setObject(1, time);
			statement.setString(2, row);
			statement.executeUpdate();
		}
	}

	/**
	 * Have the database remove what it would remove if it did so soon.
	 */
	@Override
	protected void cleanUp() {
		this.operator.call(null, false, (connection, dialect) -> {
			Map<String, LocalDateTime> expiries = expiries(connection);
			Read read = this.table.read(connection, dialect, this.keys, Rows.SEEN);
			for (Map.Entry<String, LockRow> row : read.rows().entrySet()) {
				String name = this.rowKeys.of(row.getKey());
				LocalDateTime over = expiries.get(name).minus(TOKEN_RETENTION).plus(UNUSED);
				boolean ahead = row.getValue().toState(read.now()).lastToken() * 1000 > read.now();
				if (!ahead && LockRow.nanos(over) < read.now()) {
					expire(connection, name, over);
				}
			}
			return this.table.removeSome(connection, dialect, "", expiries.size() + 1);
		});
	}

	private static LockState earlier(LockState lock, long passed) {
		return new LockState(lock.mode(), lock.permits(),
				lock.shares()
					.stream()
					.map((share) -> new Share(share.holder(), share.claim(), share.token(), share.count(),
							share.ends() - passed, share.passable(), share.passedTo()))
					.toList(),
				lock.queue()
					.stream()
					.map((place) -> new Place(place.id(), place.mode(), place.permits(), place.fair(),
							place.deadline() - passed))
					.toList(),
				lock.refused()
					.entrySet()
					.stream()
					.collect(Collectors.toMap(Map.Entry::getKey, (claim) -> claim.getValue() - passed)),
				null, lock.lastToken());
	}

	@Override
	protected void setClockBack(String key) {
		long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
		Map<String, LockState> states = this.operator.call(null, false, (connection, dialect) -> {
			this.table.create(connection, dialect, key);
			Read read = this.table.read(connection, dialect, List.of(key), Rows.SEEN);
			return write(connection, dialect, read, (lock) -> new LockState(lock.mode(), lock.permits(), lock.shares(),
					lock.queue(), lock.refused(), lock.released(), Math.max(lock.lastToken(), now) + BACK_MICROS));
		});
		raise(key, states.get(key).lastToken());
	}

	private Map<String, LockState> write(Connection connection, Dialect dialect, Read read,
			UnaryOperator<LockState> change) throws SQLException {
		Map<String, LockState> states = new HashMap<>();
		read.rows().forEach((key, row) -> states.put(key, change.apply(row.toState(read.now()))));
		this.table.write(connection, dialect, read, states, true, true);
		return states;
	}

	@Override
	public void close() {
		this.stores.values().forEach(JdbcLockStore::close);
		this.operator.close();
		this.database.close();
	}

}
