package io.holdfast.jdbc;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to do when there is no database in which locks can be kept.
 */
class JdbcLocksFailureAnalyzer extends AbstractFailureAnalyzer<JdbcLocksFailureAnalyzer.UnusableDatabaseException> {

	private static final String OTHER_STORES = " To keep locks in Redis, set 'holdfast.store' to 'redis'; if they need"
			+ " to work only inside this JVM, to 'local'.";

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnusableDatabaseException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action + OTHER_STORES, cause);
	}

	/**
	 * Thrown where locks cannot be kept in a database until the application is changed.
	 */
	static final class UnusableDatabaseException extends LockStoreException {

		private static final long serialVersionUID = 1L;

		private final String action;

		UnusableDatabaseException(String problem, String action, @Nullable Throwable cause) {
			super(problem, cause, false);
			this.action = action;
		}

	}

}
