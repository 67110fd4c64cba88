package io.holdfast.jdbc;

import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Distinguishes failures of a database that may pass from those that an operator must
 * correct.
 */
final class SqlFailures {

	private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

	private static final Set<String> MISTAKES = Set.of("42501", "42703", "42S22", "42000", "42601", "3F000");

	/**
	 * Of sessions that the server ends.
	 */
	private static final Set<String> ENDED = Set.of("57P01", "57P02", "57P03", "57P05", "25P03");

	/**
	 * A server that MySQL and MariaDB have made a replica.
	 */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	private static final Set<String> ROW_IS_LOCKED = Set.of("55P03", "HYT00");

	/**
	 * Of MySQL and MariaDB, which have waited for a row, or were told not to.
	 */
	private static final Set<Integer> WAITED = Set.of(1205, 3572);

	/**
	 * Of statements that took too long.
	 */
	private static final String STATEMENT_ENDED = "57014";

	private static final Set<Integer> STATEMENT_TIMEOUT = Set.of(1317, 1969, 3024);

	private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "90131");

	private SqlFailures() {
	}

	static LockStoreException translate(@Nullable String lock, SQLException failure, boolean letIn,
			boolean limitsStatements) {
		boolean interrupted = isInterrupt(failure);
		String state = state(failure);
		boolean noTable = NO_TABLE.contains(state);
		boolean permanent = noTable || MISTAKES.contains(state) || (state.startsWith("28") && !letIn);
		boolean busy = !interrupted && isRowLocked(failure, limitsStatements);
		String remark = noTable ? "its table is missing (see 'holdfast.jdbc.initialize-schema'), " : isReadOnly(failure)
				? "it is read-only, " : busy ? "a transaction keeps the row locked, or the database is slow, " : "";
		String answer = interrupted ? "interrupted while waiting for the answer" : answer(failure);
		String message = (lock != null) ? "The database failed on lock '%s': %s%s".formatted(lock, remark, answer)
				: "The database failed: %s%s".formatted(remark, answer);
		if (busy) {
			return new BusyException(message, failure);
		}
		return new LockStoreException(message, interrupted ? interrupt(failure) : failure, !permanent,
				!interrupted && isConnectionUseless(failure));
	}

	private static String answer(Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
	}

	private static String state(SQLException failure) {
		return Objects.requireNonNullElse(failure.getSQLState(), "");
	}

	private static boolean isReadOnly(SQLException failure) {
		return state(failure).equals("25006") || READ_ONLY.contains(failure.getErrorCode());
	}

	/**
	 * Return whether the connection is of no more use: it is closed, or does not lead to
	 * a database that can be written to.
	 */
	static boolean isConnectionUseless(SQLException failure) {
		return state(failure).startsWith("08") || ENDED.contains(state(failure)) || isReadOnly(failure)
				|| failure instanceof SQLRecoverableException || failure instanceof SQLNonTransientConnectionException
				|| failure instanceof SQLTransientConnectionException
				|| List.of("90067", "90098", "90121").contains(state(failure));
	}

	static boolean isTimeout(SQLException failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof SocketTimeoutException;
	}

	/**
	 * Return whether a row is locked by a transaction that takes its time. Where locks do
	 * not limit statements themselves, one that took too long says no such thing: an
	 * operator's limit may end each of them.
	 */
	static boolean isRowLocked(SQLException failure, boolean limitsStatements) {
		return ROW_IS_LOCKED.contains(state(failure)) || WAITED.contains(failure.getErrorCode())
				|| (limitsStatements
						&& (STATEMENT_ENDED.equals(state(failure)) || STATEMENT_TIMEOUT.contains(failure.getErrorCode())
								|| failure instanceof SQLTimeoutException));
	}

	// Whether the database has chosen a transaction to be repeated
	static boolean isConflict(SQLException failure) {
		return CONFLICTS.contains(state(failure)) || failure.getErrorCode() == 1213;
	}

	// Of a key that another transaction has inserted
	static boolean isDuplicate(SQLException failure) {
		return state(failure).startsWith("23");
	}

	// That of a virtual thread closes its socket
	private static boolean isInterrupt(Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return cause instanceof InterruptedException
				|| (cause instanceof SocketException && Thread.currentThread().isInterrupted());
	}

	private static Throwable interrupt(SQLException failure) {
		InterruptedException interrupt = new InterruptedException();
		interrupt.addSuppressed(failure);
		return interrupt;
	}

}
