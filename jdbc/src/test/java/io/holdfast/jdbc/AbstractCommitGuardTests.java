package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import javax.sql.DataSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A transaction on the database with the locks commits only while they are held, and
 * nobody else gets them before it has ended.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractCommitGuardTests {

	private static final LockRequest REQUEST = LockRequest.of("account").waitFor(Duration.ofSeconds(20));

	private final TestDatabase database;

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	ConfigurableApplicationContext one;

	ConfigurableApplicationContext two;

	JdbcTemplate jdbc;

	AbstractCommitGuardTests(TestDatabase database) {
		this.database = database;
	}

	@BeforeAll
	void start() {
		this.database.start();
		this.one = application();
		// An answer is waited for a third of that
		this.two = application("--holdfast.lease=15s");
		this.jdbc = this.one.getBean(JdbcTemplate.class);
		this.jdbc.execute("create table account (id integer primary key, amount integer)");
		this.jdbc.execute("insert into account values (1, 0)");
	}

	private ConfigurableApplicationContext application(String... arguments) {
		ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("dataSource",
					DataSource.class, this.database::dataSource))
			.properties("holdfast.store=jdbc", "holdfast.jdbc.initialize-schema=always", "spring.main.banner-mode=off")
			.run(arguments);
		this.applications.add(application);
		return application;
	}

	@AfterAll
	void end() {
		this.applications.forEach(ConfigurableApplicationContext::close);
		this.database.close();
	}

	@BeforeEach
	void reset() {
		this.jdbc.update("update account set amount = 0");
	}

	private int amount() {
		return this.jdbc.queryForObject("select amount from account", Integer.class);
	}

	static LockTemplate locks(ConfigurableApplicationContext context) {
		return context.getBean(LockTemplate.class);
	}

	private static TransactionTemplate transactions(ConfigurableApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	private void change(ConfigurableApplicationContext context, int amount, Runnable beforeCommit) {
		locks(context).executeWithoutResult(REQUEST, (lock) -> transactions(context).executeWithoutResult((status) -> {
			context.getBean(JdbcTemplate.class).update("update account set amount = ?", amount);
			beforeCommit.run();
		}));
	}

	@Test
	void commitsWhileItIsHeld() {
		change(this.one, 1, () -> {
		});
		assertThat(amount()).isEqualTo(1);
	}

	@Test
	void rollsBackWhenTheLockWasTakenAway() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> change(this.one, 2, this::takeAway));
		assertThat(amount()).isZero();
	}

	private void takeAway() {
		Threads.call(() -> this.two.getBean(LockRegistry.class).forceRelease("account"));
	}

	@Test
	void rollsBackWhenAnotherInstanceHasTheLock() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> change(this.one, 3, () -> {
			takeAway();
			Threads.call(() -> locks(this.two).acquire(REQUEST.ownedByHandle())).release();
		}));
		assertThat(amount()).isZero();
	}

	/**
	 * Not even an operator can take it away meanwhile, and who tries to acquire it waits
	 * or is denied.
	 */
	@Test
	void nobodyElseGetsItBeforeTheTransactionHasEnded() {
		assertThatItIsPinnedIn(jdbcTransactions());
	}

	JdbcTransactionManager jdbcTransactions() {
		return new JdbcTransactionManager(this.one.getBean(DataSource.class));
	}

	@Test
	void nobodyElseGetsItBeforeTheTransactionOfJpaHasEnded() {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(this.one.getBean(DataSource.class));
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		factory.setManagedTypes(PersistenceManagedTypes.of());
		factory.afterPropertiesSet();
		JpaTransactionManager transactions = new JpaTransactionManager(factory.getObject());
		transactions.afterPropertiesSet();
		assertThatItIsPinnedIn(transactions);
		factory.destroy();
	}

	private void assertThatItIsPinnedIn(AbstractPlatformTransactionManager manager) {
		LockHandle lock = locks(this.one).acquire(REQUEST);
		commit(manager, () -> {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this::takeAway)
				.withMessageContaining("A transaction that commits under lock 'account'");
			Threads.call(() -> triesThreeTimes("account"));
		});
		assertThat(lock.isHeld()).isTrue();
		lock.release();
	}

	void commit(AbstractPlatformTransactionManager manager, Runnable meanwhile) {
		TransactionTemplate transactions = guarded(manager);
		boolean[] committing = new boolean[1];
		manager.addListener(new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution transaction) {
				meanwhile.run();
				committing[0] = true;
			}
		});
		transactions.executeWithoutResult((status) -> this.jdbc.update("update account set amount = 4"));
		assertThat(committing).containsExactly(true);
		assertThat(amount()).isEqualTo(4);
	}

	// What the first has left to do is in the way of the others, as is the holder
	boolean triesThreeTimes(String key) {
		LockTemplate locks = locks(this.two);
		LockRequest soon = LockRequest.of(key).waitFor(Duration.ofMillis(10));
		assertThat(locks.tryAcquire(soon)).isEmpty();
		assertThat(locks.tryAcquire(soon)).isEmpty();
		assertThat(locks.tryAcquire(key)).isEmpty();
		return true;
	}

	/**
	 * Each would keep one of the few connections for as long as it waits for the row.
	 */
	@Test
	void releasesBesideACommitAreNotInTheWayOfOtherLocks() {
		LockRequest shared = LockRequest.of("shared").shared().ownedByHandle();
		List<LockHandle> sharers = Stream.generate(() -> locks(this.two).acquire(shared)).limit(20).toList();
		LockHandle lock = locks(this.one).acquire(LockRequest.of("shared").shared());
		commit(jdbcTransactions(), () -> {
			sharers.forEach((sharer) -> Threads.start(sharer::release));
			assertThat(Threads.call(() -> IntStream.range(0, 20)
				.allMatch((i) -> locks(this.two).acquire("other-" + i).release() == ReleaseResult.RELEASED))).isTrue();
		});
		lock.release();
		locks(this.two).acquire(LockRequest.of("shared").waitFor(Duration.ofSeconds(20))).release();
	}

	private TransactionTemplate guarded(AbstractPlatformTransactionManager manager) {
		this.one.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners().forEach(manager::addListener);
		return new TransactionTemplate(manager);
	}

	/**
	 * Nor does another transaction keep it from being renewed while that goes on.
	 */
	@Test
	void transactionAroundTheOneThatCommitsDoesNotPinIt() {
		DataSource elsewhere = new SimpleDriverDataSource(new org.h2.Driver(), "jdbc:h2:mem:elsewhere", "sa", "");
		TransactionTemplate nested = transactions(this.one);
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		LockHandle lock = locks(this.one).acquire(REQUEST);
		for (TransactionTemplate inner : List.of(guarded(new JdbcTransactionManager(elsewhere)), nested)) {
			transactions(this.one).executeWithoutResult((status) -> {
				this.jdbc.update("update account set amount = 7");
				inner.executeWithoutResult((other) -> {
				});
				this.one.getBean(LockRegistry.class).ensureHeldByCurrentThread();
				assertThat(lock.extend(Duration.ofMinutes(1))).isTrue();
			});
		}
		lock.release();
	}

	/**
	 * Nor does it cost a lock that some transactions do not see what becomes of its row.
	 */
	@Test
	void commitsWhenItWasAcquiredAndRenewedAfterTheFirstRead() {
		TransactionTemplate transactions = transactions(this.one);
		transactions.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		LockHandle lock = locks(this.one).acquire(REQUEST);
		LockHandle later = transactions.execute((status) -> {
			assertThat(amount()).isZero();
			lock.extend(Duration.ofMinutes(1));
			this.jdbc.update("update account set amount = 6");
			return locks(this.one).acquire("acquired-later");
		});
		assertThat(amount()).isEqualTo(6);
		transactions.executeWithoutResult((status) -> {
			assertThat(amount()).isEqualTo(6);
			takeAway();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(this.one.getBean(LockRegistry.class)::ensureHeldByCurrentThread);
			status.setRollbackOnly();
		});
		lock.release();
		later.release();
	}

	/**
	 * PostgreSQL has given that transaction up, and rolls it back in the end.
	 */
	@Test
	void transactionThatGoesOnAfterAFailureEndsAsWithoutALock() {
		Runnable failing = () -> assertThatExceptionOfType(BadSqlGrammarException.class)
			.isThrownBy(() -> this.jdbc.execute("no statement"));
		Throwable without = catchThrowable(() -> transactions(this.one).executeWithoutResult((status) -> {
			this.jdbc.update("update account set amount = 8");
			failing.run();
		}));
		int expected = amount();
		reset();
		Throwable failure = catchThrowable(() -> change(this.one, 8, failing));
		assertThat(String.valueOf(failure)).isEqualTo(String.valueOf(without));
		assertThat(amount()).isEqualTo(expected);
	}

	@Test
	void transactionThatCanWriteNothingIsLeftAlone() {
		TransactionTemplate reading = guarded(
				new JdbcTransactionManager(new DelegatingDataSource(this.one.getBean(DataSource.class)) {
					@Override
					public Connection getConnection() throws SQLException {
						Connection connection = super.getConnection();
						connection.setReadOnly(true);
						return connection;
					}
				}));
		LockHandle lock = locks(this.one).acquire(REQUEST);
		reading.executeWithoutResult((status) -> assertThat(amount()).isZero());
		lock.release();
	}

	@Test
	void transactionWithoutLocksIsLeftAlone() {
		transactions(this.one).executeWithoutResult((status) -> this.jdbc.update("update account set amount = 5"));
		assertThat(amount()).isEqualTo(5);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
