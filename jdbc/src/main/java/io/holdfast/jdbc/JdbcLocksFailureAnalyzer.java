package io.holdfast.jdbc;

import java.util.List;

import io.holdfast.jdbc.Dialect.UnknownDatabaseException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.NestedExceptionUtils;

/**
 * Says what to do when there is no database in which locks can be kept.
 */
class JdbcLocksFailureAnalyzer implements FailureAnalyzer {

	private static final String OTHER_STORES = " To keep locks in Redis, set 'holdfast.store' to 'redis'; if they need"
			+ " to work only inside this JVM, to 'local'.";

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String action = action(cause);
			if (action != null) {
				return new FailureAnalysis(cause.getMessage(), action + OTHER_STORES, cause);
			}
		}
		return null;
	}

	private static @Nullable String action(Throwable cause) {
		if (cause instanceof NoDatabaseException) {
			return "Add a starter that brings a DataSource, such as spring-boot-starter-jdbc, and a driver, and configure"
					+ " 'spring.datasource.*'. Choose one of several DataSource beans by @Primary or"
					+ " 'holdfast.jdbc.datasource'.";
		}
		if (cause instanceof UnknownDatabaseException) {
			return "Name another DataSource bean in 'holdfast.jdbc.datasource'.";
		}
		return (cause instanceof NoTableException)
				? "Correct 'spring.datasource.*' or the rights of its user. Where the table is made elsewhere, or the"
						+ " application is to start while its database is down, set 'holdfast.jdbc.initialize-schema' to"
						+ " 'never'."
				: null;
	}

	/**
	 * Thrown where there is no DataSource, or none that leads to a single database.
	 */
	static final class NoDatabaseException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		NoDatabaseException(String problem, List<String> beans) {
			super("Locks are to be kept in a database, but %s. DataSource beans: %s.".formatted(problem, beans));
		}

	}

	/**
	 * Thrown where the table could not be created.
	 */
	static final class NoTableException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		NoTableException(String table, Throwable cause) {
			super("The table %s, which is to have the locks, could not be created: %s".formatted(table,
					NestedExceptionUtils.getMostSpecificCause(cause).getMessage()), cause);
		}

	}

}
