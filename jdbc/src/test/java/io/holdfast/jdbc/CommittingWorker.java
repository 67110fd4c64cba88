package io.holdfast.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

import javax.sql.DataSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Numbers entries one after the other, under a lock. As a program, it stops at one of two
 * points of each transaction, until it is told to go on.
 */
class CommittingWorker {

	static final Duration LEASE = Duration.ofMillis(600);

	static final String WRITTEN = "written";

	static final String COMMITTING = "committing";

	/**
	 * The transaction locks the row of the lock.
	 */
	static final String PINNED = "pinned";

	/**
	 * The lock is only looked at before the commit.
	 */
	static final String CHECKED = "checked";

	static final String UNLOCKED = "unlocked";

	private static final String NEXT = "insert into entry (number) select coalesce(max(number), 0) + 1 from entry";

	private final ConfigurableApplicationContext context;

	private final boolean locks;

	CommittingWorker(ConfigurableApplicationContext context, String protection) {
		this.context = context;
		this.locks = !protection.equals(UNLOCKED);
	}

	/**
	 * Start an application.
	 */
	static ConfigurableApplicationContext start(DataSource dataSource, PlatformTransactionManager transactions,
			String... properties) {
		return new SpringApplicationBuilder(CommittingWorker.Application.class).web(WebApplicationType.NONE)
			.initializers((context) -> {
				((GenericApplicationContext) context).registerBean("dataSource", DataSource.class, () -> dataSource);
				((GenericApplicationContext) context).registerBean("transactionManager",
						PlatformTransactionManager.class, () -> transactions);
			})
			.properties("holdfast.store=jdbc", "holdfast.jdbc.initialize-schema=always", "spring.main.banner-mode=off",
					"holdfast.announce=false")
			.properties(properties)
			.run();
	}

	boolean number(Duration waitFor, Runnable written) {
		if (!this.locks) {
			return number(written);
		}
		try {
			return this.context.getBean(LockTemplate.class)
				.tryExecute(LockRequest.of("entries").lease(LEASE).waitFor(waitFor), (lock) -> number(written))
				.orElse(false);
		}
		catch (LockException ex) {
			return false;
		}
	}

	private boolean number(Runnable written) {
		new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				this.context.getBean(JdbcTemplate.class).update(NEXT);
				written.run();
			});
		return true;
	}

	/**
	 * Arguments: URL, point, protection.
	 */
	public static void main(String[] arguments) throws IOException {
		BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		String point = arguments[1];
		SimpleDriverDataSource database = new SimpleDriverDataSource(new org.postgresql.Driver(), arguments[0],
				"postgres", "postgres");
		PlatformTransactionManager stopping = new Stopping(database, () -> reach(COMMITTING, point, told));
		try (ConfigurableApplicationContext context = start(database, stopping,
				"holdfast.jdbc.guard-commits=" + arguments[2].equals(PINNED))) {
			CommittingWorker worker = new CommittingWorker(context, arguments[2]);
			System.out.println("ready");
			while (told.readLine() != null) {
				System.out.println(worker.number(Duration.ofSeconds(60), () -> reach(WRITTEN, point, told)));
			}
		}
	}

	private static void reach(String reached, String point, BufferedReader told) {
		if (reached.equals(point)) {
			System.out.println(point);
			try {
				told.readLine();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

	/**
	 * Stops between the guard and the commit.
	 */
	private static final class Stopping extends JdbcTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient Runnable beforeCommit;

		private Stopping(DataSource dataSource, Runnable beforeCommit) {
			super(dataSource);
			this.beforeCommit = beforeCommit;
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.beforeCommit.run();
			super.doCommit(status);
		}

	}

}
