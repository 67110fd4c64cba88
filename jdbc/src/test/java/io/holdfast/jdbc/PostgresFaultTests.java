package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.Signals;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a database does to its clients.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresFaultTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final PostgresDatabase database = new PostgresDatabase();

	private JdbcTemplate operator;

	private JdbcLockStore store;

	private int claims;

	@BeforeAll
	void start() {
		this.database.start();
		JdbcStores.createTable(this.database, "holdfast_");
		this.operator = new JdbcTemplate(this.database.dataSource());
	}

	@AfterAll
	void end() {
		this.database.close();
	}

	@BeforeEach
	void open() {
		this.store = new JdbcLockStore(new ConnectionSource(this.database.dataSource()), "holdfast_", "holdfast",
				JdbcStores.TOKEN_RETENTION, JdbcStores.TIMEOUT, true);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	private Outcome acquire(String key) {
		return acquire(this.store, key);
	}

	private Outcome acquire(JdbcLockStore in, String key) {
		return in.acquire(new Claim(List.of(key), "instance:1", ++this.claims, LockMode.EXCLUSIVE, false, LEASE, null));
	}

	private HoldId hold(String key) {
		return ((Granted) acquire(key)).hold();
	}

	private void endConnections() {
		this.operator.execute(
				"select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'");
	}

	@Test
	void connectionsThatTheServerHasClosedAreReplaced() {
		HoldId hold = hold("closed");
		endConnections();
		assertThat(this.store.release(hold)).isTrue();
		endConnections();
		assertThat(this.store.check().failure()).isNull();
	}

	@Test
	void messagesArriveAgain() {
		this.store.listen("instance", new RecordingWakeUps());
		await().until(() -> this.store.subscription() == Subscription.ACTIVE);
		await().until(() -> {
			endConnections();
			return this.store.subscription() == Subscription.BROKEN;
		});
		await().until(() -> this.store.subscription() == Subscription.ACTIVE);
	}

	@Test
	void noConnectionIsLeftWhenItHasEnded() {
		this.store.listen("instance", new RecordingWakeUps());
		await().until(() -> this.store.subscription() == Subscription.ACTIVE);
		hold("ended");
		this.store.close();
		assertThat(this.store.subscription()).isEqualTo(Subscription.IDLE);
		await()
			.until(() -> this.operator.queryForObject(
					"select count(*) from pg_stat_activity"
							+ " where backend_type = 'client backend' and pid <> pg_backend_pid()",
					Integer.class) == 0);
	}

	/**
	 * A connection that leads nowhere does not say so.
	 */
	@Test
	void listenerAsksWhetherItsConnectionAnswers() {
		this.store.listen("instance", new RecordingWakeUps());
		await().until(() -> this.operator
			.queryForObject("select count(*) from pg_stat_activity where query = 'select 1'", Integer.class) > 0);
	}

	@Test
	void messagesArriveOverBorrowedConnectionsThatDoNotCommitByThemselves() {
		RecordingWakeUps wakeUps = new RecordingWakeUps();
		HoldId hold = hold("borrowed");
		try (JdbcLockStore borrowing = borrowing()) {
			borrowing.listen("instance", wakeUps);
			await().until(() -> borrowing.subscription() == Subscription.ACTIVE);
			this.store.view().forceRelease("borrowed", null, LEASE);
			await().until(() -> wakeUps.messages().contains(hold.toString()));
			HoldId own = hold("own");
			borrowing.view().forceRelease("own", null, LEASE);
			assertThat(wakeUps.messages()).contains(own.toString());
		}
	}

	private JdbcLockStore borrowing() {
		DataSource pool = new DelegatingDataSource(this.database.dataSource()) {
			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setAutoCommit(false);
				return connection;
			}
		};
		return JdbcStores.newStore(pool, JdbcStores.TOKEN_RETENTION);
	}

	/**
	 * PostgreSQL stops waiting for it when a statement is canceled, and commits.
	 */
	@Test
	void nothingIsGrantedBeforeTheSynchronousStandbyHasIt() {
		try (JdbcLockStore borrowing = borrowing()) {
			setStandby("on", "none");
			await().untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> borrowing.release(((Granted) acquire(borrowing, "replicated")).hold()))
				.matches(LockStoreException::isTransient));
		}
		finally {
			setStandby("off", "");
		}
	}

	@Test
	void onlyWhatGrantsWaitsForTheSynchronousStandby() {
		HoldId hold = hold("kept");
		Claim waiter = new Claim(List.of("kept"), "instance:1", ++this.claims, LockMode.SHARED, false, LEASE,
				new QueuePlace("instance:1#1", LEASE));
		try {
			setStandby("on", "none");
			await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::shareSoon));
			this.store.close();
			open();
			assertThat(this.store.acquire(waiter)).isInstanceOf(Denied.class);
			this.store.withdraw(waiter, LEASE);
			assertThat(this.store.release(hold)).isTrue();
		}
		finally {
			setStandby("off", "");
		}
	}

	// On a connection on which something was not waited for before
	private Outcome shareSoon() {
		try (JdbcLockStore hasty = new JdbcLockStore(new ConnectionSource(this.database.dataSource()), "holdfast_",
				"holdfast", JdbcStores.TOKEN_RETENTION, Duration.ofSeconds(1), true)) {
			hasty.acquire(new Claim(List.of("kept"), "instance:1", ++this.claims, LockMode.SHARED, false, LEASE,
					new QueuePlace("instance:1#" + this.claims, LEASE)));
			return hasty.acquire(
					new Claim(List.of("shared"), "instance:1", ++this.claims, LockMode.SHARED, false, LEASE, null));
		}
	}

	private void setStandby(String commits, String name) {
		this.operator.execute("alter system set synchronous_standby_names = '" + name + "'");
		this.operator.execute("select pg_reload_conf()");
		this.operator.execute("set synchronous_commit = off; alter role postgres set synchronous_commit = " + commits);
	}

	/**
	 * It may still be carried out, so that its claim must be withdrawn.
	 */
	@Test
	void requestThatIsNotAnsweredInTimeIsNotRepeated() {
		try (Connections connections = new Connections(new ConnectionSource(this.database.dataSource()),
				Duration.ofSeconds(3))) {
			String session = session(connections);
			signal("STOP", session);
			try {
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> session(connections));
			}
			finally {
				signal("CONT", session);
			}
		}
	}

	@Test
	void connectionIsUsedAgainAfterAFailureAsAfterACheck() {
		try (Connections connections = new Connections(new ConnectionSource(this.database.dataSource()),
				JdbcStores.TIMEOUT)) {
			String session = session(connections);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> connections.call(null, false, (connection, dialect) -> {
					connection.setAutoCommit(false);
					connection.createStatement()
						.execute("insert into holdfast_lock (lock_key, token, holds, expires)"
								+ " values ('holdfast:check/half', 0, 0, now())");
					throw new SQLException("failed");
				}));
			boolean commits = connections.call(null, false, (connection, dialect) -> connection.getAutoCommit());
			assertThat(commits).isTrue();
			assertThat(session(connections)).isEqualTo(session);
		}
		assertThat(this.store.check().failure()).isNull();
		hold("checked");
		try (JdbcLockStore other = borrowing()) {
			assertThat(acquire(other, "checked")).isNotInstanceOf(Granted.class);
		}
		assertThat(this.operator.queryForList("select * from holdfast_lock where lock_key like '%check/%'")).isEmpty();
	}

	private static String session(Connections connections) {
		return connections.call(null, false, (connection, dialect) -> {
			try (Statement statement = connection.createStatement();
					ResultSet session = statement.executeQuery("select pg_backend_pid()")) {
				session.next();
				return session.getString(1);
			}
		});
	}

	private static void signal(String name, String process) {
		assertThat(Signals.send(name, List.of(ProcessHandle.of(Long.parseLong(process)).orElseThrow()))).isZero();
	}

	/**
	 * Where others ask all the time, one that tries again and again may find no gap.
	 */
	@Test
	void holdersStandInLineForTheirRow() throws SQLException {
		HoldId hold = hold("line");
		AtomicBoolean left = new AtomicBoolean();
		CompletableFuture<?> kept = Threads.start(() -> repeat(() -> this.store.keep(hold, LEASE), left));
		CompletableFuture<?> downgraded = Threads.start(() -> repeat(() -> this.store.downgrade(hold, 1, null), left));
		try (Connection other = this.database.dataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select * from holdfast_lock where lock_key = 'holdfast:line' for no key update");
			await().until(() -> this.operator.queryForObject(
					"select count(*) from pg_stat_activity where wait_event_type = 'Lock'", Integer.class) == 2);
		}
		finally {
			left.set(true);
		}
		Threads.join(kept);
		Threads.join(downgraded);
	}

	private static boolean repeat(Supplier<?> request, AtomicBoolean left) {
		do {
			try {
				request.get();
			}
			catch (BusyException ex) {
				// It has waited for as long as it may
			}
		}
		while (!left.get());
		return true;
	}

	@Test
	void databaseThatIsReadOnlySaysSoAndIsUsedAgainAfterThat() {
		HoldId hold = hold("read-only");
		setReadOnly("on");
		await().untilAsserted(
				() -> assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.store.release(hold))
					.withMessageContaining("it is read-only")
					.matches(LockStoreException::isTransient));
		assertThat(this.store.check().failure()).hasMessageContaining("it is read-only");
		setReadOnly("off");
		await().ignoreExceptions().until(() -> this.store.release(hold));
	}

	private void setReadOnly(String value) {
		this.operator.execute(
				"begin read write; alter database postgres set default_transaction_read_only = " + value + "; commit");
		endConnections();
	}

	/**
	 * Nobody who waits is to believe that another one has the lock.
	 */
	@Test
	void statementThatTakesTooLongIsAFailure() {
		this.operator.execute("create function sleep() returns trigger language plpgsql as"
				+ " $$ begin perform pg_sleep(600); return new; end $$");
		this.operator
			.execute("create trigger slow before insert on holdfast_lock for each row execute function sleep()");
		DataSource limited = new SimpleDriverDataSource(new org.postgresql.Driver(),
				this.database.url() + "?options=-c%20statement_timeout=200", "postgres", "postgres");
		try (JdbcLockStore limitedStore = JdbcStores.newStore(limited, JdbcStores.TOKEN_RETENTION)) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(limitedStore, "slow"))
				.matches(LockStoreException::isTransient);
			assertThat(limitedStore.check().failure()).isNotNull();
		}
		finally {
			this.operator.execute("drop function sleep cascade");
		}
	}

	@Test
	void userWhomTheDatabaseDoesNotKnowIsNoFailureThatPasses() {
		try (JdbcLockStore unknown = JdbcStores.newStore(this.database.dataSource("unknown"),
				JdbcStores.TOKEN_RETENTION)) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(unknown, "key"))
				.matches((ex) -> !ex.isTransient());
		}
	}

	@Test
	void missingTableIsNoFailureThatPasses() {
		this.operator.execute("alter table holdfast_lock rename to away");
		try {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire("missing"))
				.withMessageContaining("holdfast.jdbc.initialize-schema")
				.matches((ex) -> !ex.isTransient());
		}
		finally {
			this.operator.execute("alter table away rename to holdfast_lock");
		}
	}

	/**
	 * A commit that takes its time costs other locks nothing.
	 */
	@Test
	void renewalPassesOverRowsThatAreLocked() throws SQLException {
		HoldId one = hold("one");
		HoldId locked = hold("locked");
		HoldId gone = new HoldId("gone", "instance:1", 1);
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("select * from holdfast_lock where lock_key = 'holdfast:locked' for share");
			assertThat(this.store.renew(List.of(new Renewal(locked, LEASE), new Renewal(one, LEASE)))).satisfiesExactly(
					(outcome) -> assertThat(outcome).isInstanceOf(NotAnswered.class),
					(outcome) -> assertThat(outcome).isInstanceOf(Renewed.class));
			assertThat(acquire("locked")).isInstanceOfSatisfying(Denied.class,
					(denied) -> assertThat(denied.holder()).isEqualTo("instance:1"));
			connection.rollback();
		}
		assertThat(this.store.renew(List.of(new Renewal(locked, LEASE), new Renewal(gone, LEASE)))).satisfiesExactly(
				(outcome) -> assertThat(outcome).isInstanceOf(Renewed.class),
				(outcome) -> assertThat(outcome).isInstanceOf(Gone.class));
	}

	@Test
	void processThatStandsStillInARequestIsNotInTheWayForLong() {
		HoldId hold = hold("still");
		try (Connections still = new Connections(new ConnectionSource(this.database.dataSource()),
				JdbcStores.TIMEOUT)) {
			still.call(null, false, (connection, dialect) -> {
				connection.setAutoCommit(false);
				try (Statement statement = connection.createStatement()) {
					statement.execute("select * from holdfast_lock where lock_key = 'holdfast:still' for update");
				}
				await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> this.store.release(hold));
				return dialect;
			});
		}
	}

	/**
	 * Applications whose keys have other prefixes may use the same table.
	 */
	@Test
	void locksOfOthersAreNotListed() {
		JdbcLockStore others = new JdbcLockStore(new ConnectionSource(this.database.dataSource()), "holdfast_", "a",
				JdbcStores.TOKEN_RETENTION, JdbcStores.TIMEOUT, true);
		acquire(others, "theirs");
		acquire(others, "their\tlock");
		HoldId hold = hold("ours");
		assertThat(this.store.view().heldKeys(1000, LEASE).keys()).contains("ours")
			.doesNotContain("theirs", "their\tlock");
		assertThat(others.view().heldKeys(1, LEASE).complete()).isFalse();
		this.store.release(hold);
		others.close();
	}

	@Test
	void rowsThatAreNotNeededAreRemovedAndTokensStillGrow() {
		HoldId hold = hold("old");
		this.store.release(hold);
		this.operator
			.execute("update holdfast_lock set expires = now() - interval '1 day' where lock_key = 'holdfast:old'");
		this.operator.execute("insert into holdfast_lock (lock_key, token, holds, expires)"
				+ " select 'holdfast:' || n, 0, 0, now() + interval '1 day' from generate_series(1, 500) n");
		await().until(() -> {
			acquire("other");
			return this.operator.queryForList("select * from holdfast_lock where lock_key = 'holdfast:old'").isEmpty();
		});
		assertThat(hold("old").grants().get(0).token()).isGreaterThan(hold.grants().get(0).token());
	}

}
