package io.holdfast.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStoreException.BusyException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is done with connections of a pool that does not reset them.
 */
@Tag("any-jdk")
class BorrowedConnectionsTests {

	private static final int TRIALS = 5;

	static List<Arguments> databases() {
		return List.of(arguments(new PostgresDatabase(), 1), arguments(new H2Database(), 5),
				arguments(new MariaDbDatabase(), 5), arguments(new MySqlDatabase(), 5));
	}

	/**
	 * Tried again after a statement failed, as if this machine stood still for longer
	 * than a statement may last.
	 */
	@ParameterizedTest
	@MethodSource("databases")
	void freeLockTakesTwoStatements(TestDatabase database, int firstTime) {
		try (database) {
			database.start();
			JdbcStores.createTable(database, "holdfast_");
			for (int trial = 1, failed = 1; failed > 0; trial++) {
				Pool pool = new Pool(database.dataSource());
				try {
					assertThatFewStatementsAreMade(database, pool, "key-" + trial, firstTime);
					failed = 0;
				}
				catch (AssertionError | RuntimeException ex) {
					failed = pool.failed.get();
					if (trial == TRIALS || failed == 0) {
						throw ex;
					}
				}
			}
		}
	}

	/**
	 * As those of some drivers and wrappers.
	 */
	@Test
	void connectionsThatKnowNoTimeOutAreUsed() {
		H2Database database = new H2Database();
		database.start();
		JdbcStores.createTable(database, "holdfast_");
		DataSource dataSource = new DelegatingDataSource(database.dataSource()) {
			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				return Pool.proxy(Connection.class, (proxy, method, arguments) -> {
					if (method.getName().endsWith("NetworkTimeout")) {
						throw new SQLFeatureNotSupportedException();
					}
					return Pool.invoke(connection, method, arguments);
				});
			}
		};
		try (database; JdbcLockStore store = JdbcStores.newStore(dataSource, JdbcStores.TOKEN_RETENTION)) {
			assertThat(takeAndFree(store, claim("key", 1))).isTrue();
		}
	}

	private static void assertThatFewStatementsAreMade(TestDatabase database, Pool pool, String key, int firstTime) {
		try (JdbcLockStore store = JdbcStores.newStore(pool, JdbcStores.TOKEN_RETENTION)) {
			assertThat(pool.statements(() -> takeAndFree(store, claim(key, 1)))).isEqualTo(firstTime + 1);
			assertThat(pool.statements(() -> takeAndFree(store, claim(key, 2)))).isEqualTo(2);
			assertThat(pool.statements(() -> store.renew(List.of()).isEmpty())).isZero();
			assertThatRepeatedRequestsAreAnsweredAgain(store, claim(key, 3));
			assertThatNoRowIsWaitedFor(database, store, pool, key);
			assertThatRowsSayWhatIsHeld(store, key, new JdbcTemplate(database.dataSource()));
			assertThatTimesAreTheSameInEachZone(database, store, key);
			assertThatNobodyIsLetInMeanwhile(database, store, pool, key);
		}
		assertThat(pool.statesGivenBack).hasSize(1);
		assertThat(pool.statesGivenBack.iterator().next()).matches(Pool.STATE);
	}

	private static boolean takeAndFree(JdbcLockStore store, Claim claim) {
		return store.acquire(claim) instanceof Granted granted && store.release(granted.hold());
	}

	private static Claim claim(String key, int number) {
		return claim(key, number, LockMode.EXCLUSIVE, null);
	}

	private static Claim claim(String key, int number, LockMode mode, @Nullable QueuePlace place) {
		return new Claim(List.of(key), "a:1", number, mode, 0, false, Duration.ofMinutes(1), place);
	}

	private static void assertThatRepeatedRequestsAreAnsweredAgain(JdbcLockStore store, Claim claim) {
		Granted granted = (Granted) store.acquire(claim);
		assertThat(store.acquire(claim)).isEqualTo(granted);
		assertThat(store.release(granted.hold())).isTrue();
		assertThat(store.release(granted.hold())).isTrue();
	}

	/**
	 * As long as a transaction commits, no statement fails because its row is locked for
	 * too long, which PostgreSQL would log.
	 */
	private static void assertThatNoRowIsWaitedFor(TestDatabase database, JdbcLockStore store, Pool pool, String key) {
		QueuePlace place = new QueuePlace("a:1#4", Duration.ofMinutes(1));
		try (Connection other = pinning(database, key)) {
			for (LockMode mode : LockMode.values()) {
				assertThat(store.acquire(claim(key, 4, mode, null))).isInstanceOf(Denied.class);
				assertThat(store.acquire(claim(key, 4, mode, place))).isInstanceOf(Denied.class);
			}
			if (database instanceof PostgresDatabase) {
				store.withdraw(claim(key, 4, LockMode.EXCLUSIVE, place), Duration.ofMinutes(1));
			}
			else {
				assertThatExceptionOfType(BusyException.class)
					.isThrownBy(() -> store.withdraw(claim(key, 4, LockMode.EXCLUSIVE, place), Duration.ofMinutes(1)));
			}
			other.rollback();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		assertThat(pool.failed).hasValue(0);
		await().pollInSameThread().until(() -> isGrantedAndReleasedWhenTheRowIsLeft(database, store, pool, key));
	}

	private static Connection pinning(TestDatabase database, String key) throws SQLException {
		Connection connection = database.dataSource().getConnection();
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("select * from holdfast_lock where lock_key = 'holdfast:%s' for %s".formatted(key,
					(database instanceof PostgresDatabase) ? "key share" : "update"));
		}
		return connection;
	}

	// Also on a thread that is interrupted
	private static boolean isGrantedAndReleasedWhenTheRowIsLeft(TestDatabase database, JdbcLockStore store, Pool pool,
			String key) throws SQLException {
		try {
			Granted granted = (Granted) whenTheRowIsLeft(database, pool, key,
					() -> store.acquire(claim(key, 5, LockMode.SHARED, null)));
			Thread.currentThread().interrupt();
			return whenTheRowIsLeft(database, pool, key, () -> store.release(granted.hold()));
		}
		catch (ClassCastException | BusyException ex) {
			return false; // this machine stood still
		}
		finally {
			Thread.interrupted();
		}
	}

	private static <T> T whenTheRowIsLeft(TestDatabase database, Pool pool, String key, Supplier<T> request)
			throws SQLException {
		try (Connection other = pinning(database, key)) {
			AtomicInteger reads = new AtomicInteger();
			pool.beforeEach("select lock_key", () -> {
				if (reads.incrementAndGet() == 3) {
					rollback(other);
				}
			});
			return request.get();
		}
		finally {
			pool.beforeEach("none", () -> {
			});
		}
	}

	private static void rollback(Connection connection) {
		try {
			connection.rollback();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void assertThatNobodyIsLetInMeanwhile(TestDatabase database, JdbcLockStore store, Pool pool,
			String key) {
		try (JdbcLockStore other = JdbcStores.newStore(database.dataSource(), JdbcStores.TOKEN_RETENTION)) {
			assertThatNobodyComesBetweenReadingAndWriting(store, other, pool, key);
			assertThatNoRowIsRemovedThatIsTakenMeanwhile(other, pool, key, new JdbcTemplate(database.dataSource()));
		}
	}

	private static void assertThatNobodyComesBetweenReadingAndWriting(JdbcLockStore store, JdbcLockStore other,
			Pool pool, String key) {
		AtomicInteger writes = new AtomicInteger();
		pool.beforeEach("update holdfast_lock set holder = ?",
				() -> assertThat(other.acquire(claim(key, writes.incrementAndGet(), LockMode.SHARED, null)))
					.isInstanceOf(Denied.class));
		Granted granted = (Granted) store.acquire(claim(key, 100, LockMode.SHARED, null));
		assertThat(store.renew(List.of(new Renewal(granted.hold(), Duration.ofMinutes(2))))).hasSize(1);
		assertThat(store.release(granted.hold())).isTrue();
		store.acquire(claim(key, 101, LockMode.SHARED, null));
		store.view().forceRelease(key, null, Duration.ofMinutes(1));
		assertThat(writes).hasValue(5);
	}

	private static void assertThatNoRowIsRemovedThatIsTakenMeanwhile(JdbcLockStore other, Pool pool, String key,
			JdbcTemplate operator) {
		operator.update("update holdfast_lock set expires = '2000-01-01 00:00:00'");
		List<Granted> taken = new ArrayList<>();
		pool.beforeEach("delete", () -> taken.add((Granted) other.acquire(claim(key, 102))));
		LockTable table = new LockTable("holdfast_lock", new RowKeys("holdfast"), JdbcStores.TOKEN_RETENTION);
		try (Connections connections = new Connections(new ConnectionSource(pool), JdbcStores.TIMEOUT)) {
			connections.call(null, false, (connection, dialect) -> table.removeSome(connection, dialect, "", 1));
		}
		assertThat(taken).hasSize(1).allMatch((granted) -> other.release(granted.hold()));
	}

	/**
	 * Tokens grow even if a database that has failed over has forgotten some.
	 */
	private static void assertThatRowsSayWhatIsHeld(JdbcLockStore store, String key, JdbcTemplate operator) {
		Granted before = (Granted) store.acquire(claim(key, 103));
		operator.update("update holdfast_lock set expires = '2200-01-01 00:00:00'");
		store.release(before.hold());
		assertThat(rows(operator, "holder is null and claim is null and mode is null and holds = 0"
				+ " and lease_end is null and expires < '2200-01-01 00:00:00' and token = " + before.lastToken()))
			.isOne();
		operator.update("update holdfast_lock set token = 1, expires = '2200-01-01 00:00:00'");
		Granted after = (Granted) store.acquire(claim(key, 104));
		assertThat(after.lastToken()).isGreaterThan(before.lastToken());
		assertThat(rows(operator, "holder = 'a:1' and mode = 'exclusive' and holds = 1 and expires > lease_end"
				+ " and expires < '2200-01-01 00:00:00' and token = " + after.lastToken()))
			.isOne();
		store.release(after.hold());
	}

	private static int rows(JdbcTemplate operator, String condition) {
		return operator.queryForObject("select count(*) from holdfast_lock where " + condition, Integer.class);
	}

	private static void assertThatTimesAreTheSameInEachZone(TestDatabase database, JdbcLockStore store, String key) {
		DataSource east = new DelegatingDataSource(database.dataSource()) {
			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				try (Statement statement = connection.createStatement()) {
					statement.execute(database instanceof MariaDbDatabase ? "set time_zone = '+09:00'"
							: "set time zone 'Asia/Tokyo'");
				}
				return connection;
			}
		};
		Granted granted = (Granted) store.acquire(claim(key, 101));
		try (JdbcLockStore other = JdbcStores.newStore(east, JdbcStores.TOKEN_RETENTION)) {
			assertThat(other.acquire(claim(key, 1))).isInstanceOf(Denied.class);
		}
		assertThat(store.release(granted.hold())).isTrue();
	}

	/**
	 * Counts the statements of the thread that has made it.
	 */
	private static final class Pool extends AbstractDataSource {

		private static final String STATE = "isolation 8, autocommit false, network timeout (77000|0)"; // none
																										// in
																										// H2

		private final Thread counted = Thread.currentThread();

		private final AtomicInteger executed = new AtomicInteger();

		private final AtomicInteger failed = new AtomicInteger();

		private final Set<String> statesGivenBack = ConcurrentHashMap.newKeySet();

		private final DataSource driver;

		private String text = "none";

		private Runnable meanwhile = () -> {
		};

		private Pool(DataSource driver) {
			this.driver = driver;
		}

		private void beforeEach(String text, Runnable meanwhile) {
			this.text = text;
			this.meanwhile = meanwhile;
		}

		private int statements(Supplier<Boolean> request) {
			int before = this.executed.get();
			assertThat(request.get()).isTrue();
			return this.executed.get() - before;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = this.driver.getConnection();
			connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
			connection.setAutoCommit(false);
			connection.setNetworkTimeout(Runnable::run, 77_000);
			return proxy(Connection.class, (proxy, method, arguments) -> {
				if (method.getName().equals("close")) {
					boolean autoCommit = connection.getAutoCommit();
					this.statesGivenBack.add("isolation %d, autocommit %s, network timeout %d"
						.formatted(connection.getTransactionIsolation(), autoCommit, connection.getNetworkTimeout()));
				}
				Object result = invoke(connection, method, arguments);
				return (result instanceof PreparedStatement statement) ? counting(statement, (String) arguments[0])
						: result;
			});
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

		private PreparedStatement counting(PreparedStatement statement, String sql) {
			return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
				if (method.getName().startsWith("execute") && Thread.currentThread() == this.counted) {
					this.executed.incrementAndGet();
					if (sql.startsWith(this.text)) {
						this.meanwhile.run();
					}
				}
				try {
					return invoke(statement, method, arguments);
				}
				catch (SQLException ex) {
					this.failed.incrementAndGet();
					throw ex;
				}
			});
		}

		private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

		private static <T> T proxy(Class<T> type, InvocationHandler handler) {
			return type.cast(Proxy.newProxyInstance(Pool.class.getClassLoader(), new Class<?>[] { type }, handler));
		}

	}

}
