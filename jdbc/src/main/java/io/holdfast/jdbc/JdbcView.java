package io.holdfast.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.rules.LockRules;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of the locks in a table.
 */
final class JdbcView implements StoreView {

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
		return this.connections.call(null, false, (connection, dialect) -> {
			LockRules rules = this.table.read(connection, dialect, keys, Rows.SEEN).rules(keys);
			return keys.stream().map(rules::look).filter(KeyState::isKnown).toList();
		});
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		List<String> held = this.connections.call(null, false,
				(connection, dialect) -> this.table.held(connection, dialect, most + 1));
		return new HeldKeys(Set.copyOf(held.subList(0, Math.min(most, held.size()))), held.size() <= most);
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		long began = System.nanoTime();
		return this.steps.step(List.of(key), (rules) -> {
			if (Duration.ofNanos(System.nanoTime() - began).compareTo(within) >= 0) {
				throw new LockStoreException("No time is left to release lock '%s' by force".formatted(key), null,
						true);
			}
			return rules.forceRelease(key, token);
		});
	}

}
