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
					"Configure 'spring.datasource.*' or define a DataSource bean, and choose one of several by @Primary or"
							+ " 'holdfast.jdbc.datasource'." + OTHER_STORES,
					cause);
		}
		if (cause instanceof UnknownDatabaseException unknown) {
			return new FailureAnalysis(unknown.getMessage() + ".",
					"Name another DataSource bean in 'holdfast.jdbc.datasource'." + OTHER_STORES, cause);
		}
		return null;
	}

	/**
	 * Thrown where there is no DataSource, or no single one.
	 */
	static final class NoDatabaseException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		NoDatabaseException(@Nullable String name, List<String> beans) {
			super((name != null)
					? "'holdfast.jdbc.datasource' is '%s', but there is no DataSource bean of this name. DataSource beans: %s."
						.formatted(name, beans)
					: "Holdfast keeps locks in a database, but there is no DataSource bean, or several and none is primary: %s."
						.formatted(beans));
		}

	}

}
