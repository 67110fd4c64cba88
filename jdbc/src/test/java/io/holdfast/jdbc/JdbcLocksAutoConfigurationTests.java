package io.holdfast.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.DistributedLock;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastHealthContributorAutoConfiguration;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.jdbc.JdbcLocksFailureAnalyzer.UnusableDatabaseException;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When locks are kept in a database, and in which.
 */
class JdbcLocksAutoConfigurationTests {

	private static final String ROWS = "select count(*) from holdfast_lock where lock_key = 'holdfast:order:1'";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class, JdbcLocksAutoConfiguration.class,
				HoldfastHealthContributorAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + newDatabase());

	private static String newDatabase() {
		return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

	@Test
	void locksAreInTheDatabaseWhereThereIsNoRedis() {
		this.runner.withUserConfiguration(Orders.class).run((context) -> {
			assertThat(context).hasSingleBean(JdbcLockStore.class);
			assertThat(context.getBean(Orders.class).rows()).isEqualTo(1);
			Health health = context.getBean("locksHealthIndicator", HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void redisIsPreferredUnlessTheStoreIsNamed() {
		ApplicationContextRunner withRedis = this.runner
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
		withRedis
			.run((context) -> assertThat(context).hasSingleBean(LockStore.class).doesNotHaveBean(JdbcLockStore.class));
		withRedis.withPropertyValues("holdfast.store=jdbc")
			.run((context) -> assertThat(context).hasSingleBean(JdbcLockStore.class));
	}

	@Test
	void otherStoresAndNoneAreRespected() {
		this.runner.withPropertyValues("holdfast.store=local")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(JdbcLockStore.class));
		this.runner.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockStore.class));
	}

	@Test
	void worksWithoutRedisPostgresAndHikariOnTheClassPath() {
		this.runner
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "redis.clients",
					"org.postgresql", "com.zaxxer"))
			.withUserConfiguration(PlainDataSource.class)
			.run((context) -> context.getBean(LockTemplate.class).executeWithoutResult("order:1", (lock) -> {
			}));
	}

	@Test
	void tableHasTheConfiguredPrefix() {
		this.runner.withPropertyValues("holdfast.jdbc.table-prefix=app_")
			.run((context) -> context.getBean(LockTemplate.class)
				.executeWithoutResult("order:1",
						(lock) -> assertThat(context.getBean(JdbcTemplate.class)
							.queryForObject("select lease_end > current_timestamp at time zone 'UTC' from app_lock",
									Boolean.class))
							.isTrue()));
	}

	@Test
	void tableThatCannotBeCreatedStopsTheStartup() {
		this.runner.withPropertyValues("holdfast.jdbc.table-prefix=none.app_")
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains("none.app_lock", "could not be created", "NONE"));
		this.runner.withPropertyValues("holdfast.jdbc.initialize-schema=always")
			.withUserConfiguration(Unreachable.class)
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getAction())
				.contains("spring.datasource", "holdfast.jdbc.initialize-schema", "holdfast.jdbc.table-prefix"));
	}

	@Test
	void tableThatIsThereMayBeCreatedAgainByAnotherInstance() {
		String database = newDatabase();
		new JdbcTemplate(new SimpleDriverDataSource(new org.h2.Driver(), database, "sa", ""))
			.execute("create table holdfast_lock (lock_key varchar(9), token bigint)");
		this.runner
			.withPropertyValues("spring.datasource.url=" + database,
					"holdfast.jdbc.schema=classpath:META-INF/spring.factories")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void databaseOfAnotherKindIsRefusedByName() {
		this.runner.withPropertyValues("spring.datasource.url=jdbc:hsqldb:mem:other")
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains("HSQL Database Engine", "PostgreSQL"));
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 12.22, 13.0", "H2, 2.1.214 (2022-06-13), 2.2.220 (2023-07-04)",
			"MySQL, 5.7.44-log, 8.0.11", "MySQL, 5.5.5-10.5.27-MariaDB, 5.5.5-10.6.20-MariaDB-log",
			"MariaDB, 10.5.9-MariaDB, 11.4.2-MariaDB" })
	void databaseThatIsTooOldIsRefused(String name, String tooOld, String oldest) {
		assertThatExceptionOfType(UnusableDatabaseException.class).isThrownBy(() -> Dialect.of(name, tooOld))
			.withMessageContainingAll(tooOld, "or newer");
		assertThat(Dialect.of(name, oldest)).isNotNull();
	}

	@Test
	void databaseIsNamedWithoutParametersOfItsAddress() {
		this.runner.run((context) -> assertThat(context.getBean(JdbcLockStore.class).database()).startsWith("H2 2")
			.contains(" at jdbc:h2:mem:")
			.doesNotContain("DB_CLOSE_DELAY"));
		assertThat(JdbcLockStore.address("jdbc:mysql://me:s3cr@t@db:3306/shop?password=x"))
			.isEqualTo("jdbc:mysql://db:3306/shop");
		assertThat(JdbcLockStore.address("jdbc:mysql://(host=db,password=x)/shop")).isEqualTo("jdbc:mysql:///shop");
	}

	@Test
	void tableThatIsMissingIsSaidToBe() {
		this.runner.withPropertyValues("holdfast.jdbc.initialize-schema=never").run((context) -> {
			Health health = context.getBean("locksHealthIndicator", HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("error").toString()).contains("holdfast.jdbc.initialize-schema",
					"holdfast.jdbc.table-prefix");
		});
		this.runner
			.withPropertyValues("holdfast.jdbc.initialize-schema=never", "holdfast.jdbc.table-prefix=none.holdfast_")
			.run((context) -> assertThat(context.getBean(JdbcLockStore.class).mistake()).hasMessageContaining("NONE")
				.matches((failure) -> !failure.isTransient()));
	}

	@Test
	@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void tableThatTakesNoRowsIsAFailure() {
		this.runner.run((context) -> {
			context.getBean(JdbcTemplate.class).execute("alter table holdfast_lock add tenant integer not null");
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire("order:1"))
				.withMessageContaining("TENANT");
		});
	}

	/**
	 * MySQL and MariaDB give many failures the state of another one: their numbers count.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			42P01 | 0    | mistake, its table is missing (see 'holdfast.jdbc.initialize-schema')
			42000 | 1142 | mistake
			42501 | 0    | mistake
			28P01 | 0    | mistake
			42000 | 1226 | passes
			42000 | 1203 | passes
			53300 | 0    | passes
			      | 0    | passes
			57014 | 0    | passes
			57P01 | 0    | passes, useless connection
			08006 | 0    | passes, useless connection
			25006 | 0    | passes, it is read-only, useless connection
			HY000 | 1290 | passes, it is read-only, useless connection
			40001 | 0    | passes, conflict
			40001 | 1213 | passes, conflict
			40001 | 1205 | busy, a transaction keeps the row locked
			55P03 | 0    | busy, a transaction keeps the row locked
			23505 | 0    | passes, conflict
			23000 | 1062 | passes, conflict
			""")
	void failuresAreToldApart(@Nullable String state, int number, String expected) {
		SQLException failure = new SQLException("reason", state, number);
		LockStoreException told = SqlFailures.translate("order:1", failure, false);
		List<String> findings = new ArrayList<>(
				List.of(told instanceof BusyException ? "busy" : told.isTransient() ? "passes" : "mistake"));
		Matcher remark = Pattern.compile("The database failed on lock 'order:1': (?:(.*), )?reason")
			.matcher(told.getMessage().replaceAll(", or the database is slow| and 'holdfast.jdbc.table-prefix'", ""));
		assertThat(remark.matches()).isTrue();
		findings.add(remark.group(1));
		findings.add(told.isConnectionUseless() ? "useless connection" : null);
		findings.add(SqlFailures.isConflict(failure) ? "conflict" : null);
		assertThat(String.join(", ", findings.stream().filter(Objects::nonNull).toList())).isEqualTo(expected);
	}

	@Test
	void failuresOfConnectionsAndThreadsAreToldApart() {
		SQLException refused = new SQLException("reason", "28P01");
		assertThat(SqlFailures.translate(null, refused, true).isTransient()).isTrue();
		assertThat(SqlFailures.translate(null, refused, true)).hasMessage("The database failed: reason");
		assertThat(SqlFailures.translate(null, new SQLException(), true))
			.hasMessage("The database failed: SQLException");
		for (SQLException useless : List.of(new SQLRecoverableException(), new SQLNonTransientConnectionException(),
				new SQLTransientConnectionException())) {
			assertThat(SqlFailures.isConnectionUseless(useless)).isTrue();
		}
		SQLException closed = new SQLException("reason", "08006", new SocketException("closed"));
		assertThat(SqlFailures.translate(null, closed, true).isConnectionUseless()).isTrue();
		Thread.currentThread().interrupt();
		assertThat(SqlFailures.translate(null, closed, true))
			.hasMessage("The database failed: interrupted while waiting for the answer")
			.hasCauseInstanceOf(InterruptedException.class)
			.matches((failure) -> failure.isTransient() && !failure.isConnectionUseless());
		assertThat(Thread.interrupted()).isTrue();
		assertThat(SqlFailures.translate(null, new SQLException("HYT00", new InterruptedException()), true))
			.hasCauseInstanceOf(InterruptedException.class);
	}

	/**
	 * Otherwise, some keys would have the row of another one.
	 */
	@Test
	void tableThatDoesNotTellKeysApartIsRefused() {
		this.runner.withPropertyValues("spring.datasource.url=" + newDatabase() + ";IGNORECASE=TRUE").run((context) -> {
			assertThat(context.getBean("locksHealthIndicator", HealthIndicator.class).health().getStatus())
				.isEqualTo(Status.DOWN);
			LockTemplate locks = context.getBean(LockTemplate.class);
			locks.executeWithoutResult("Ä",
					(lock) -> assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> locks.tryAcquire("ä"))
						.withMessageContaining("lock_key of table holdfast_lock needs a collation that tells"));
		});
	}

	@Test
	void oneOfSeveralDatabasesIsChosen() {
		ApplicationContextRunner two = this.runner.withUserConfiguration(TwoDatabases.class);
		two.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
			.contains("several"));
		two.withPropertyValues("holdfast.jdbc.datasource=none")
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains("'none'", "one", "other"));
		two.withPropertyValues("holdfast.jdbc.datasource=other").run((context) -> {
			context.getBean(LockTemplate.class).executeWithoutResult("order:1", (lock) -> {
			});
			assertThat(new JdbcTemplate(context.getBean("other", DataSource.class)).queryForObject(ROWS, Integer.class))
				.isEqualTo(1);
		});
	}

	@Test
	void databaseThatMayBeAnotherOneForEachThreadIsRefused() {
		ApplicationContextRunner routing = this.runner.withUserConfiguration(TwoDatabases.class, Routing.class);
		routing.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
			.satisfies((analysis) -> assertThat(analysis.getDescription()).contains("each thread", "other"))
			.satisfies((analysis) -> assertThat(analysis.getAction()).contains("holdfast.jdbc.datasource")));
		routing.withPropertyValues("holdfast.jdbc.datasource=routing")
			.run((context) -> assertThat(context).hasFailed());
		routing.withPropertyValues("holdfast.jdbc.datasource=one").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void databaseForReadOnlyTransactionsIsNotUsed() {
		this.runner.withUserConfiguration(WithReplica.class).run((context) -> {
			TransactionTemplate reading = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			reading.setReadOnly(true);
			String token = reading.execute((status) -> context.getBean(LockTemplate.class)
				.execute("order:1", (lock) -> Long.toString(lock.fencingToken())));
			assertThat(
					context.getBean(JdbcTemplate.class).queryForList("select token from holdfast_lock", String.class))
				.containsExactly(token);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					holdfast.jdbc.table-prefix | ''
					holdfast.jdbc.table-prefix | app.
					holdfast.jdbc.table-prefix | 'x; drop table y'
					holdfast.key-prefix        | an-application-whose-name-leaves-no-room-for-the-longest-key-in-the-column-of-the-table-with-the-locks
					""")
	void prefixThatTheTableCannotHaveIsRefused(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(FailureAnalyses.of(context.getStartupFailure()).getDescription())
				.contains(property, value, "It must"));
	}

	@Test
	void startsWhileTheDatabaseIsDown() {
		this.runner.withUserConfiguration(Unreachable.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(JdbcLockStore.class).database()).contains("does not answer yet");
			assertThat(context.getBean("locksHealthIndicator", HealthIndicator.class).health().getStatus())
				.isEqualTo(Status.DOWN);
		});
	}

	/**
	 * It would also keep the connections that renewals and releases need.
	 */
	@ParameterizedTest
	@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	@ValueSource(strings = { "postgresql", "mariadb", "mysql" })
	void serverThatSaysNothingIsNotWaitedForForEver(String database) throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
			this.runner
				.withPropertyValues(
						"spring.datasource.url=jdbc:%s://127.0.0.1:%d/none".formatted(database, silent.getLocalPort()),
						"holdfast.jdbc.initialize-schema=never", "holdfast.lease=3s", "holdfast.wait-for=1s")
				.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("order:1")));
		}
	}

	@Test
	void connectionsAreItsOwnWhereTheyCanBe() {
		this.runner.run((context) -> assertThat(isOwn(context)).isTrue());
		this.runner
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:", "spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> assertThat(isOwn(context)).isFalse());
		SimpleDriverDataSource unpooled = new SimpleDriverDataSource(new org.h2.Driver(), newDatabase(), "sa", "");
		assertThat(new ConnectionSource(new LazyConnectionDataSourceProxy(unpooled)).isOwn()).isTrue();
		assertThat(new ConnectionSource(new UserCredentialsDataSourceAdapter()).isOwn()).isFalse();
		assertThat(new ConnectionSource(new JdbcDataSource()).isOwn()).isFalse();
	}

	@Test
	void connectionsOfItsOwnArePreparedAsThoseOfThePool() {
		this.runner
			.withPropertyValues("spring.datasource.url=" + newDatabase() + ";INIT=create schema if not exists app",
					"spring.datasource.hikari.connection-init-sql=set @prepared = 1",
					"spring.datasource.hikari.schema=APP")
			.withUserConfiguration(Orders.class)
			.run((context) -> {
				assertThat(isOwn(context)).isTrue();
				assertThat(context.getBean(Orders.class).rows()).isEqualTo(1);
				try (Connection connection = new ConnectionSource(context.getBean(DataSource.class))
					.open(JdbcStores.TIMEOUT);
						ResultSet prepared = connection.createStatement().executeQuery("select @prepared")) {
					assertThat(prepared.next()).isTrue();
					assertThat(prepared.getInt(1)).isOne();
				}
			});
	}

	@Test
	void propertiesOfThePageExist() throws IOException {
		String page = Files.readString(Path.of("../docs/database.md"));
		String metadata = Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json"));
		assertThat(Pattern.compile("holdfast\\.jdbc\\.[a-z-]+").matcher(page).results()).hasSizeGreaterThan(3)
			.allSatisfy((name) -> assertThat(metadata).contains("\"" + name.group() + "\""));
		assertThat(Pattern.compile("(?s)\\{[^{}]*\"name\": \"holdfast\\.jdbc\\.[^{}]*\"type\"[^{}]*}")
			.matcher(metadata)
			.results()).hasSizeGreaterThan(3)
			.allSatisfy((property) -> assertThat(property.group()).contains("\"description\""));
	}

	private static boolean isOwn(ApplicationContext context) {
		return new ConnectionSource(context.getBean(DataSource.class)).isOwn();
	}

	@Test
	void noAnswerIsWaitedForLongerThanAThirdOfALease() {
		this.runner.withPropertyValues("holdfast.lease=9s")
			.run((context) -> assertThat(ReflectionTestUtils
				.getField(ReflectionTestUtils.getField(context.getBean(JdbcLockStore.class), "connections"), "timeout"))
				.isEqualTo(Duration.ofSeconds(3)));
	}

	@Configuration(proxyBeanMethods = false)
	static class Orders {

		private final JdbcTemplate jdbc;

		Orders(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("'order:1'")
		Integer rows() {
			return this.jdbc.queryForObject(ROWS, Integer.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainDataSource {

		@Bean
		DataSource dataSource() {
			return new SimpleDriverDataSource(new org.h2.Driver(), newDatabase(), "sa", "");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		DataSource one() {
			return new SimpleDriverDataSource(new org.h2.Driver(), newDatabase(), "sa", "");
		}

		@Bean
		DataSource other() {
			return new SimpleDriverDataSource(new org.h2.Driver(), newDatabase(), "sa", "");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Routing {

		@Bean
		@Primary
		DataSource routing(@Qualifier("one") DataSource one, @Qualifier("other") DataSource other) {
			AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
				@Override
				protected Object determineCurrentLookupKey() {
					return Thread.currentThread().getId();
				}
			};
			routing.setTargetDataSources(Map.of(1, one));
			routing.setDefaultTargetDataSource(other);
			routing.afterPropertiesSet();
			return new LazyConnectionDataSourceProxy(routing);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithReplica {

		@Bean
		DataSource dataSource() {
			LazyConnectionDataSourceProxy dataSource = new LazyConnectionDataSourceProxy(borrowed(newDatabase()));
			dataSource.setReadOnlyDataSource(borrowed("jdbc:h2:mem:replica"));
			return dataSource;
		}

		private static DataSource borrowed(String url) {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setUrl(url);
			dataSource.setUser("sa");
			return dataSource;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Unreachable {

		@Bean
		DataSource dataSource() {
			return new SimpleDriverDataSource(new org.postgresql.Driver(), "jdbc:postgresql://localhost:1/none", "none",
					"");
		}

	}

}
