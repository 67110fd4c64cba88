package io.holdfast.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.jdbc.Dialect.Rows;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of the locks in a table.
 */
final class JdbcView implements StoreView {

	private static final Duration TO_ANSWER = Duration.ofMillis(100);

	private final Connections connections;

	private final LockTable table;

	private final LockSteps steps;

	JdbcView(Connections connections, LockTable table, LockSteps steps) {
		this.connections = connections;
		this.table = table;
		this.steps = steps;
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		if (keys.isEmpty()) {
			return List.of();
		}
		return this.steps.look(keys, (rules) -> keys.stream().map(rules::look).filter(KeyState::isKnown).toList());
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
		return LockSteps.unlessLocked(within.minus(TO_ANSWER),
				() -> this.steps.attempt(List.of(key), false, Rows.TO_GRANT, (rules) -> {
					if (System.nanoTime() - end >= 0) {
						throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key),
								null, true);
					}
					return rules.forceRelease(key, token);
				}));
	}

}
