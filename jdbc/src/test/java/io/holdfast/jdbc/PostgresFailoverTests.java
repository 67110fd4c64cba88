package io.holdfast.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import javax.sql.DataSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A standby of PostgreSQL takes over.
 */
@Tag("long")
@Tag("any-jdk")
class PostgresFailoverTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final LockRequest REQUEST = LockRequest.of("orders").ownedByHandle();

	private static final LockRequest PATIENT = REQUEST.waitFor(PATIENCE);

	private static final String RELEASED = "select * from holdfast_lock where released is not null";

	private final PostgresDatabase primary = new PostgresDatabase();

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	private PostgresDatabase standby;

	private LockTemplate one;

	private LockTemplate two;

	@AfterEach
	void end() {
		this.instances.forEach(ConfigurableApplicationContext::close);
		if (this.standby != null) {
			this.standby.close();
		}
		this.primary.close();
	}

	private void start(String... settings) {
		this.primary.start();
		this.standby = this.primary.startStandby(settings);
		await().atMost(PATIENCE).until(() -> standbys() == 1);
		this.one = instance();
		this.two = instance();
	}

	// Whoever does not know that it is another server's turn looks soon
	private LockTemplate instance() {
		return instance("jdbc:postgresql://%s,%s/postgres?targetServerType=primary&hostRecheckSeconds=1"
			.formatted(this.primary.address(), this.standby.address()));
	}

	private LockTemplate instance(String url, String... properties) {
		DataSource dataSource = new SimpleDriverDataSource(new org.postgresql.Driver(), url, "postgres", "postgres");
		ConfigurableApplicationContext instance = CommittingWorker.start(dataSource,
				new JdbcTransactionManager(dataSource), StringUtils.addStringToArray(properties, "holdfast.lease=2m"));
		this.instances.add(instance);
		return instance.getBean(LockTemplate.class);
	}

	private int standbys() {
		return sql(this.primary).queryForObject("select count(*) from pg_stat_replication where state = 'streaming'",
				Integer.class);
	}

	private static JdbcTemplate sql(PostgresDatabase server) {
		return new JdbcTemplate(server.dataSource());
	}

	private void promote() {
		sql(this.standby).execute("select pg_promote()");
	}

	/**
	 * It has what was granted: the database answers once the standby has it.
	 */
	@Test
	void synchronousStandbyHasEachGrant() {
		start("synchronous_standby_names = '*'");
		LockHandle lock = this.one.acquire(PATIENT);
		this.primary.process().kill();
		promote();
		await().atMost(PATIENCE).ignoreExceptions().until(() -> lock.extend(Duration.ofMinutes(2)));
		assertThat(this.two.tryAcquire(REQUEST)).isEmpty();
		lock.release();
		LockHandle next = this.two.acquire(PATIENT);
		assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		assertThatOldServerIsOfNoUseWhenItReturns(next);
	}

	private void assertThatOldServerIsOfNoUseWhenItReturns(LockHandle lock) {
		this.primary.set("default_transaction_read_only = on");
		this.primary.process().start();
		sql(this.standby).execute(
				"select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'");
		await().atMost(PATIENCE).ignoreExceptions().until(() -> lock.extend(Duration.ofMinutes(2)));
		assertThat(lock.release()).hasToString("RELEASED");
		LockTemplate old = instance(this.primary.url(), "holdfast.jdbc.initialize-schema=never");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> old.tryAcquire("orders"))
			.withMessageContaining("it is read-only");
	}

	/**
	 * What it does not know yet is free there. Tokens begin with the time.
	 */
	@Test
	void asynchronousStandbyMayLackOne() {
		start("synchronous_standby_names = '*'", "synchronous_commit = off");
		this.one.acquire(PATIENT).release();
		await().atMost(PATIENCE).ignoreExceptions().until(() -> sql(this.standby).queryForList(RELEASED).size() == 1);
		this.standby.set("primary_conninfo = ''");
		sql(this.standby).execute("select pg_reload_conf()");
		await().atMost(PATIENCE).until(() -> standbys() == 0);
		LockHandle lost = this.one.acquire(PATIENT);
		this.primary.process().kill();
		promote();
		LockHandle granted = this.two.acquire(PATIENT);
		assertThat(lost.isHeld()).isTrue();
		assertThat(granted.fencingToken()).isGreaterThan(lost.fencingToken());
		assertThat(lost.release()).hasToString("LOST");
		assertThat(granted.isHeld()).isTrue();
	}

	/**
	 * A server that nobody follows any more, and that does not know it, grants nothing:
	 * it waits for its standby.
	 */
	@Test
	void synchronousPrimaryThatWasFrozenGrantsNothing() {
		start("synchronous_standby_names = '*'");
		LockHandle lock = this.one.acquire(PATIENT);
		this.primary.process().freeze();
		promote();
		this.primary.process().goOn();
		await().atMost(PATIENCE).until(() -> standbys() == 0);
		assertThat(grants(this.two, "another")).isFalse();
		this.primary.process().kill();
		await().atMost(PATIENCE).ignoreExceptions().until(() -> lock.extend(Duration.ofMinutes(2)));
		assertThat(this.two.tryAcquire(REQUEST)).isEmpty();
	}

	private static boolean grants(LockTemplate locks, String key) {
		try {
			return locks.tryAcquire(key).isPresent();
		}
		catch (LockUnavailableException ex) {
			return false;
		}
	}

}
