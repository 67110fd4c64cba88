package io.holdfast.adapters;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.jdbc.JdbcLocksAutoConfiguration;
import io.holdfast.test.Threads;
import jakarta.persistence.EntityManagerFactory;
import org.apache.ibatis.annotations.Update;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.boot.autoconfigure.MybatisAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in a database beside the libraries with which applications use it.
 */
class DatabaseTests {

	private static final String PAY = "update account set amount = 1";

	private static final Logger LIQUIBASE = Logger.getLogger("liquibase");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class, JdbcLocksAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, FlywayAutoConfiguration.class,
				LiquibaseAutoConfiguration.class))
		.withPropertyValues("holdfast.store=jdbc", "spring.datasource.generate-unique-name=true",
				"spring.flyway.enabled=false", "spring.liquibase.enabled=false",
				"spring.liquibase.change-log=classpath:locks-changelog.yaml");

	@TempDir
	private Path migrations;

	@BeforeAll
	static void beQuiet() {
		LIQUIBASE.setLevel(Level.WARNING);
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "always" })
	void tableIsCreatedByFlyway(String initialize) throws IOException {
		try (InputStream schema = new ClassPathResource("io/holdfast/jdbc/schema-h2.sql").getInputStream()) {
			Files.copy(schema, this.migrations.resolve("V1__locks.sql"));
		}
		isUsedAtStartup(this.runner.withPropertyValues("holdfast.jdbc.initialize-schema=" + initialize,
				"spring.flyway.enabled=true", "spring.flyway.locations=filesystem:" + this.migrations));
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "always" })
	void tableIsCreatedByLiquibase(String initialize) {
		isUsedAtStartup(this.runner.withPropertyValues("holdfast.jdbc.initialize-schema=" + initialize,
				"spring.liquibase.enabled=true"));
	}

	private static void isUsedAtStartup(ApplicationContextRunner application) {
		application.withBean(Early.class).run((context) -> assertThat(context.getBean(Early.class).held).isTrue());
	}

	@Test
	void databaseOfConnectionDetailsIsUsed() {
		String url = "jdbc:h2:mem:" + UUID.randomUUID();
		JdbcTemplate database = new JdbcTemplate(new SimpleDriverDataSource(new org.h2.Driver(), url, "sa", ""));
		this.runner.withBean(JdbcConnectionDetails.class, () -> new Details(url))
			.run((context) -> context.getBean(LockTemplate.class)
				.executeWithoutResult("order:1",
						(lock) -> assertThat(database.queryForList("select lock_key from holdfast_lock", String.class))
							.containsExactly("holdfast:order:1")));
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatHasLostItsLockRollsBack(Way way) {
		way.in(this.runner).run((context) -> {
			LockHandle lock = context.getBean(LockTemplate.class).acquire("account");
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> way.pay(context, () -> takeAway(context)));
			lock.release();
			assertThat(amount(context)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void nobodyElseGetsTheLockOfATransactionThatCommits(Way way) {
		way.in(this.runner).run((context) -> {
			List<Boolean> pinned = new ArrayList<>();
			context.getBean(ConfigurableTransactionManager.class).addListener(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> takeAway(context));
					pinned.add(true);
				}

			});
			context.getBean(LockTemplate.class).executeWithoutResult("account", (lock) -> way.pay(context, () -> {
			}));
			assertThat(pinned).containsExactly(true);
			assertThat(amount(context)).isEqualTo(1);
		});
	}

	@Test
	void orderIsShippedOnce() {
		this.runner
			.withConfiguration(AutoConfigurations.of(JdbcClientAutoConfiguration.class, AopAutoConfiguration.class))
			.withUserConfiguration(Account.class)
			.withBean(Orders.class)
			.run((context) -> {
				assertThat(context.getBean(Orders.class).ship(1)).isTrue();
				assertThat(context.getBean(Orders.class).ship(1)).isFalse();
			});
	}

	private static void takeAway(ApplicationContext context) {
		Threads.call(() -> context.getBean(LockRegistry.class).forceRelease("account"));
	}

	private static Integer amount(ApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForObject("select amount from account", Integer.class);
	}

	/**
	 * A way to write to the database in a transaction.
	 */
	enum Way {

		JDBC(JdbcTemplateAutoConfiguration.class) {

			@Override
			void write(ApplicationContext context) {
				context.getBean(JdbcTemplate.class).update(PAY);
			}

		},

		JPA(HibernateJpaAutoConfiguration.class) {

			@Override
			void write(ApplicationContext context) {
				SharedEntityManagerCreator.createSharedEntityManager(context.getBean(EntityManagerFactory.class))
					.createNativeQuery(PAY)
					.executeUpdate();
			}

		},

		JOOQ(JooqAutoConfiguration.class) {

			@Override
			void write(ApplicationContext context) {
				context.getBean(DSLContext.class).execute(PAY);
			}

			@Override
			void pay(ApplicationContext context, Runnable beforeCommit) {
				context.getBean(DSLContext.class).transaction((transaction) -> {
					transaction.dsl().execute(PAY);
					beforeCommit.run();
				});
			}

		},

		MYBATIS(MybatisAutoConfiguration.class) {

			@Override
			void write(ApplicationContext context) {
				SqlSessionTemplate session = context.getBean(SqlSessionTemplate.class);
				session.getConfiguration().addMapper(Accounts.class);
				session.getMapper(Accounts.class).pay();
			}

		};

		private final Class<?> configuration;

		Way(Class<?> configuration) {
			this.configuration = configuration;
		}

		ApplicationContextRunner in(ApplicationContextRunner runner) {
			return runner.withConfiguration(AutoConfigurations.of(this.configuration))
				.withUserConfiguration(Account.class);
		}

		abstract void write(ApplicationContext context);

		void pay(ApplicationContext context, Runnable beforeCommit) {
			context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
				write(context);
				beforeCommit.run();
			});
		}

	}

	interface Accounts {

		@Update(PAY)
		void pay();

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage(basePackageClasses = Early.class)
	static class Account {

		Account(JdbcTemplate jdbc) {
			jdbc.execute("create table account (amount integer)");
			jdbc.execute("insert into account values (0)");
			jdbc.execute("create table orders (id integer primary key, shipped timestamp)");
			jdbc.execute("insert into orders values (1, null)");
		}

	}

	/**
	 * Locks as soon as it can.
	 */
	static class Early {

		private final boolean held;

		Early(LockTemplate locks) {
			this.held = locks.execute("start", (lock) -> lock.isHeld());
		}

	}

	record Details(String getJdbcUrl) implements JdbcConnectionDetails {

		@Override
		public String getUsername() {
			return "sa";
		}

		@Override
		public String getPassword() {
			return "";
		}

	}

}
