package io.holdfast.sample.live;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockWait;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The locks of all instances.
 */
@Component
class LockTable {

	private static final int LIMIT = 100;

	private final HoldfastLockRegistry registry;

	LockTable(HoldfastLockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Return the locks as they are now, for the page.
	 */
	Message message() {
		String instance = this.registry.status().instanceId();
		try {
			return new Message("locks", new Locks(instance, rows(), null));
		}
		catch (LockStoreException ex) {
			return new Message("locks", new Locks(instance, List.of(), "Redis cannot be asked"));
		}
	}

	private List<Row> rows() {
		StoreView view = this.registry.view();
		List<LockWait> waiting = this.registry.waiting();
		return view.look(view.heldKeys(LIMIT).keys().stream().sorted().toList())
			.stream()
			.filter((state) -> !state.holders().isEmpty())
			.map((state) -> row(state, waiting))
			.toList();
	}

	private static Row row(KeyState state, List<LockWait> waiting) {
		StoreView.Holder holder = state.holders().get(0);
		Stream<String> inRedis = state.waiters().stream().map((place) -> place.substring(0, place.indexOf('#')));
		Stream<String> here = waiting.stream().filter((wait) -> wait.keys().contains(state.key())).map(LockWait::owner);
		return new Row(state.key(), state.mode(), Map.of("id", holder.owner()), grantedAt(holder.token()),
				holder.remaining().toMillis(), holder.token(),
				Stream.concat(inRedis, here)
					.distinct()
					.filter((id) -> !id.equals(holder.owner()))
					.map((id) -> Map.of("id", id))
					.toList());
	}

	/**
	 * Return when a token was made: it is the server's time then, in microseconds.
	 */
	private static Instant grantedAt(long token) {
		return Instant.EPOCH.plus(token, ChronoUnit.MICROS);
	}

	/**
	 * What is held.
	 *
	 * @param instance the instance that was asked
	 * @param locks the locks
	 * @param error why they cannot be told, or {@code null}
	 */
	record Locks(String instance, List<Row> locks, @Nullable String error) {
	}

	/**
	 * One lock.
	 */
	record Row(String key, @Nullable LockMode mode, Map<String, String> owner, Instant since, long remainingLease,
			long token, List<Map<String, String>> waiters) {
	}

}
