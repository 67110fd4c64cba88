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
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		if (cause instanceof NoDatabaseException none) {
			return new FailureAnalysis(none.getMessage(),
					"Add a starter that brings a DataSource, such as spring-boot-starter-jdbc, and a driver, and configure"
							+ " 'spring.datasource.*'. Choose one of several DataSource beans by @Primary or"
							+ " 'holdfast.jdbc.datasource'." + OTHER_STORES,
					cause);
		}
		if (cause instanceof UnknownDatabaseException unknown) {
			return new FailureAnalysis(unknown.getMessage() + ".",
					"Name another DataSource bean in 'holdfast.jdbc.datasource'." + OTHER_STORES, cause);
		}
		return (find(failure) instanceof NoTableException noTable) ? new FailureAnalysis(noTable.getMessage(),
				"Correct 'spring.datasource.*' or the rights of its user. Where the table is made elsewhere, or the"
						+ " application is to start while its database is down, set 'holdfast.jdbc.initialize-schema' to"
						+ " 'never'." + OTHER_STORES,
				cause) : null;
	}

	private static @Nullable Throwable find(Throwable failure) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof NoTableException)) {
			cause = cause.getCause();
		}
		return cause;
	}

	/**
	 * Thrown where there is no DataSource, or none that leads to a single database.
	 */
	static final class NoDatabaseException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		NoDatabaseException(@Nullable String name, boolean routes, List<String> beans) {
			super(routes
					? "The DataSource bean%s leads each thread to a database of its own, and locks must be in one: %s."
						.formatted((name != null) ? " '" + name + "'" : "", beans)
					: problem(name, beans));
		}

		private static String problem(@Nullable String name, List<String> beans) {
			return (name != null)
					? "'holdfast.jdbc.datasource' is '%s', but there is no DataSource bean of this name. DataSource beans: %s."
						.formatted(name, beans)
					: "Holdfast keeps locks in a database, but there is no DataSource bean%s."
						.formatted(beans.isEmpty() ? "" : " that is primary among several: " + beans);
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
