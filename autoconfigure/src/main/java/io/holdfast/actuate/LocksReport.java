package io.holdfast.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.PlaceName;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Describes locks as they are in the store, with what only this instance knows of its
 * own: names, threads, and callers without a place in the store's queue.
 */
final class LocksReport {

	private static final int MOST_LOCKS = 1_000;

	// How long keys are searched for: Redis takes up to two microseconds for each key
	// that it has
	private static final Duration SCANNING = Duration.ofMillis(1600);

	// Until when the keys that were found are looked at
	private static final Duration LOOKING = Duration.ofMillis(1750);

	// How many locks a request is about. In a Cluster, each may be a request of its own
	private static final int PORTION = 20;

	private final LockOperations operations;

	LocksReport(LockOperations operations) {
		this.operations = operations;
	}

	LocksDescriptor locks(boolean ofAllInstances) {
		long end = System.nanoTime() + LOOKING.toNanos();
		HeldKeys found = ofAllInstances ? this.operations.view().heldKeys(MOST_LOCKS, SCANNING)
				: new HeldKeys(Set.of(), true);
		OwnLocks own = new OwnLocks(this.operations);
		Set<String> keys = own.keys();
		keys.addAll(found.keys());
		List<String> reported = keys.stream().limit(MOST_LOCKS).toList();
		List<LockDescriptor> locks = new ArrayList<>();
		int seen = 0;
		while (seen < reported.size() && (seen == 0 || System.nanoTime() - end < 0)) {
			List<String> portion = reported.subList(seen, Math.min(seen + PORTION, reported.size()));
			locks.addAll(look(portion, own));
			seen += portion.size();
		}
		boolean complete = found.complete() && seen == keys.size();
		return new LocksDescriptor(this.operations.instanceId(), null, locks, complete ? null : true);
	}

	@Nullable LockDescriptor lock(String key) {
		return look(List.of(key), new OwnLocks(this.operations)).stream().findFirst().orElse(null);
	}

	// In place of an answer from the store
	LocksDescriptor ownLocks(String error) {
		OwnLocks own = new OwnLocks(this.operations);
		return new LocksDescriptor(this.operations.instanceId(), error,
				own.keys().stream().limit(MOST_LOCKS).map((key) -> describe(own.state(key), own)).toList(),
				(own.keys().size() > MOST_LOCKS) ? true : null);
	}

	private List<LockDescriptor> look(List<String> keys, OwnLocks own) {
		Map<String, KeyState> states = this.operations.view()
			.look(keys)
			.stream()
			.collect(Collectors.toMap(KeyState::key, Function.identity()));
		return keys.stream()
			.filter((key) -> states.containsKey(key) || !own.waits(key).isEmpty())
			.map((key) -> describe(states.getOrDefault(key, KeyState.empty(key, null)), own))
			.toList();
	}

	private static LockDescriptor describe(KeyState state, OwnLocks own) {
		List<HolderDescriptor> holders = state.holders()
			.stream()
			.sorted(Comparator.comparing(Holder::kept).thenComparing(Holder::token))
			.map((holder) -> describe(holder, own.hold(state.key(), holder.owner()), own))
			.toList();
		List<WaiterDescriptor> waiters = waiters(state, own);
		List<WaiterDescriptor> listed = waiters.stream().limit(StoreView.MOST).toList();
		int waiting = Math.max(waiters.size(), state.waiterCount());
		boolean shared = state.holderCount() > 1 || state.permits() > 0;
		return new LockDescriptor(state.key(), own.name(state.key()), state.mode(), HolderDescriptor.first(holders),
				listed, (waiting > listed.size()) ? waiting : null, (holders.size() > 1) ? holders : null,
				shared ? state.holderCount() : null, (state.permits() > 0) ? state.permits() : null, state.problem());
	}

	private static HolderDescriptor describe(Holder holder, @Nullable HeldLock hold, OwnLocks own) {
		return new HolderDescriptor(OwnerDescriptor.of(holder.owner(), own.thread(holder.owner())),
				(hold != null) ? hold.snapshot().since() : granted(holder.token()),
				holder.remaining().isNegative() ? null : holder.remaining().toMillis(), holder.holdCount(),
				holder.token(), holder.kept() ? true : null);
	}

	// A token is the time of the grant in microseconds, by the server's clock, or a
	// little more
	private static Instant granted(long token) {
		Instant granted = Instant.EPOCH.plus(token, ChronoUnit.MICROS);
		Instant now = Instant.now();
		return granted.isAfter(now) ? now : granted;
	}

	private static List<WaiterDescriptor> waiters(KeyState state, OwnLocks own) {
		Map<String, LockWait> others = new LinkedHashMap<>();
		own.waits(state.key()).forEach((wait) -> others.put(wait.owner(), wait));
		List<WaiterDescriptor> waiters = new ArrayList<>();
		for (String id : state.waiters()) {
			PlaceName place = PlaceName.of(id);
			LockWait wait = others.remove(place.owner());
			waiters.add((wait != null) ? describe(wait)
					: new WaiterDescriptor(OwnerDescriptor.of(place.owner(), null), place.mode(), null, null));
		}
		others.values().forEach((wait) -> waiters.add(describe(wait)));
		return waiters;
	}

	private static WaiterDescriptor describe(LockWait wait) {
		return new WaiterDescriptor(OwnerDescriptor.of(wait.owner(), wait.threadName()), wait.mode(), wait.since(),
				wait.waited().toMillis());
	}

}
