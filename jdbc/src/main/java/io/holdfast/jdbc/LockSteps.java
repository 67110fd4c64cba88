package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.engine.StoreView;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.jdbc.LockTable.Read;
import io.holdfast.rules.LockRules;
import io.holdfast.rules.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests by the rules: with the rows locked, in one transaction, which also
 * sends the wake-ups. What operators see needs no lock on rows.
 */
final class LockSteps implements StoreView {

	static final Duration TRIES = Duration.ofMillis(200);

	private static final Duration TO_ANSWER = Duration.ofMillis(100);

	// Not longer for those that have waited longer: others would come first
	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

	private final Connections connections;

	private final LockTable table;

	private final WakeUps wakeUps;

	LockSteps(Connections connections, LockTable table, WakeUps wakeUps) {
		this.connections = connections;
		this.table = table;
		this.wakeUps = wakeUps;
	}

	/**
	 * Try some times while a row is locked, without a connection between them: by another
	 * request it is locked for a moment, but by a transaction that was made under the
	 * lock as long as that commits.
	 */
	static <T> T unlessLocked(Duration within, Supplier<T> request) {
		long end = System.nanoTime() + within.toNanos();
		while (true) {
			try {
				return request.get();
			}
			catch (BusyException ex) {
				if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
					throw ex;
				}
				LockSupport.parkNanos(PAUSE);
			}
		}
	}

	/**
	 * Answer a request about holds, also on a thread that is interrupted.
	 */
	<T> T step(HoldId hold, Function<LockRules, T> request) {
		boolean interrupted = Thread.interrupted();
		try {
			return unlessLocked(TRIES, () -> attempt(hold.keys(), false, Rows.TO_CHANGE, request));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Answer a request about what can be seen, without a lock on rows.
	 */
	<T> T look(Collection<String> keys, Function<LockRules, T> request) {
		return this.connections.call(null, false, (connection, dialect) -> request
			.apply(this.table.read(connection, dialect, keys, Rows.SEEN).rules(keys)));
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		return keys.isEmpty() ? List.of()
				: look(keys, (rules) -> keys.stream().map(rules::look).filter(KeyState::isKnown).toList());
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		List<String> held = this.connections.call(null, false,
				(connection, dialect) -> this.table.held(connection, dialect, most + 1));
		return new HeldKeys(Set.copyOf(held.subList(0, Math.min(most, held.size()))), held.size() <= most);
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		long end = System.nanoTime() + within.toNanos();
		return unlessLocked(within.minus(TO_ANSWER), () -> attempt(List.of(key), false, Rows.TO_CHANGE, (rules) -> {
			if (System.nanoTime() - end >= 0) {
				throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key), null,
						true);
			}
			return rules.forceRelease(key, token);
		}));
	}

	/**
	 * Answer a request. Rows that are missing are made.
	 * @param keys the keys of the locks
	 * @param acquires whether it is to acquire them
	 * @param how how their rows are locked
	 * @param request what is asked
	 * @throws BusyException if a row is locked by others
	 */
	<T> T attempt(Collection<String> keys, boolean acquires, Rows how, Function<LockRules, T> request) {
		String lock = (keys.size() == 1) ? keys.iterator().next() : null;
		return this.connections.call(lock, acquires, (connection, dialect) -> {
			while (true) {
				connection.setAutoCommit(false);
				Read read = this.table.read(connection, dialect, keys, how);
				if (read.rows().size() == keys.size()) {
					return answer(connection, dialect, read, keys, request);
				}
				// Rows of others are not locked meanwhile
				end(connection);
				for (String key : new TreeSet<>(keys)) {
					if (!read.rows().containsKey(key) && !this.table.create(connection, dialect, key)) {
						throw LockTable.busy(key);
					}
				}
			}
		});
	}

	<T> T answer(Connection connection, Dialect dialect, Read read, Collection<String> keys,
			Function<LockRules, T> request) throws SQLException {
		LockRules rules = read.rules(keys);
		Map<String, LockState> before = rules.states();
		T answer = request.apply(rules);
		Map<String, LockState> after = rules.states();
		// A commit would wait for the disk, as that of a repeated grant must
		if (answer instanceof Denied && after.equals(before) && rules.wakeUps().isEmpty()) {
			return answer;
		}
		boolean grants = after.entrySet()
			.stream()
			.anyMatch((lock) -> !before.getOrDefault(lock.getKey(), LockState.FREE)
				.shares()
				.containsAll(lock.getValue().shares()));
		boolean besidePins = !(answer instanceof Granted || answer instanceof Transfer
				|| answer instanceof ForcedRelease);
		this.table.write(connection, dialect, read, after, grants, besidePins);
		this.wakeUps.send(connection, dialect, rules.wakeUps());
		end(connection);
		this.wakeUps.tellOwn(rules.wakeUps());
		return answer;
	}

	private static void end(Connection connection) throws SQLException {
		connection.commit();
		connection.setAutoCommit(true);
	}

}
