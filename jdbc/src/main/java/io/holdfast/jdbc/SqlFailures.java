package io.holdfast.jdbc;

import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
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

	// SQL states, and the numbers of MySQL and MariaDB, which have few states

	private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

	private static final Set<String> MISTAKES = Set.of("42501", "42703", "42S22", "42000", "42601", "42804", "3F000",
			"90079");

	// Of connections, with the state of a mistake
	private static final Set<String> LIMITS = Set.of("1203", "1226");

	private static final Set<String> SESSION_ENDED = Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "90067",
			"90098", "90121");

	private static final Set<String> READ_ONLY = Set.of("25006", "1290", "1792", "1836");

	private static final Set<String> ROW_IS_LOCKED = Set.of("55P03", "HYT00", "1205", "3572");

	// Deadlocks, and rows that another transaction has inserted meanwhile

	private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "90131", "1213", "23505", "1062");

	private SqlFailures() {
	}

	static LockStoreException translate(@Nullable String lock, SQLException failure, boolean letIn) {
		boolean interrupted = isInterrupt(failure);
		boolean noTable = is(NO_TABLE, failure);
		boolean permanent = noTable || (is(MISTAKES, failure) && !is(LIMITS, failure))
				|| (state(failure).startsWith("28") && !letIn);
		boolean busy = !interrupted && is(ROW_IS_LOCKED, failure);
		String remark = noTable
				? "its table is missing (see 'holdfast.jdbc.initialize-schema' and 'holdfast.jdbc.table-prefix'), "
				: is(READ_ONLY, failure) ? "it is read-only, "
						: busy ? "a transaction keeps the row locked, or the database is slow, " : "";
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
		return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName()).split("\n", 2)[0];
	}

	private static String state(SQLException failure) {
		return Objects.requireNonNullElse(failure.getSQLState(), "");
	}

	private static boolean is(Set<String> codes, SQLException failure) {
		return codes.contains(state(failure)) || codes.contains(Integer.toString(failure.getErrorCode()));
	}

	/**
	 * Return whether the connection is of no more use: it is closed, or does not lead to
	 * a database that can be written to.
	 */
	static boolean isConnectionUseless(SQLException failure) {
		return state(failure).startsWith("08") || is(SESSION_ENDED, failure) || is(READ_ONLY, failure)
				|| failure instanceof SQLRecoverableException || failure instanceof SQLNonTransientConnectionException
				|| failure instanceof SQLTransientConnectionException;
	}

	static boolean isTimeout(SQLException failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof SocketTimeoutException;
	}

	// Whether the database has chosen a transaction to be repeated
	static boolean isConflict(SQLException failure) {
		return is(CONFLICTS, failure) && !is(ROW_IS_LOCKED, failure);
	}

	// After an earlier failure, so that nothing can be committed
	static boolean isTransactionAborted(SQLException failure) {
		return state(failure).equals("25P02");
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
