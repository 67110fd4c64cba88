package io.holdfast.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.actuate.LockDescriptor.Permits;
import io.holdfast.actuate.LockDescriptor.Sharers;
import io.holdfast.actuate.LockDescriptor.Waiters;
import io.holdfast.actuate.OwnLocks.Hold;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.PlaceName;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;

/**
 * Describes locks as this instance knows them, and as they are in the store.
 */
final class LockDescriptions {

	private final OwnLocks own;

	private final Map<String, Map<String, String>> instances;

	LockDescriptions(OwnLocks own, Map<String, Map<String, String>> instances) {
		this.own = own;
		this.instances = instances;
	}

	LockDescriptor describe(String key) {
		List<Hold> holds = this.own.holds(key).stream().sorted(Comparator.comparing(Hold::token)).toList();
		LockMode mode = holds.isEmpty() ? null : holds.get(0).lock().mode();
		List<HolderDescriptor> holders = holds.stream().limit(StoreView.MOST_HOLDERS).map(this::describe).toList();
		return new LockDescriptor(key, this.own.name(key), mode, HolderDescriptor.first(holders),
				waiters(KeyState.empty(key, null)), Sharers.of(holders, holds.size()), Permits.UNKNOWN, null);
	}

	private HolderDescriptor describe(Hold hold) {
		LockSnapshot lock = hold.lock();
		return new HolderDescriptor(owner(lock.owner()), lock.since(), lock.remainingLease().toMillis(),
				lock.holdCount(), hold.token(), null);
	}

	LockDescriptor describe(KeyState state) {
		List<HolderDescriptor> holders = state.holders()
			.stream()
			.sorted(Comparator.comparing(Holder::kept).thenComparing(Holder::token))
			.map((holder) -> describe(holder, state))
			.toList();
		return new LockDescriptor(state.key(), this.own.name(state.key()), state.mode(),
				HolderDescriptor.first(holders), waiters(state), Sharers.of(holders, state.holderCount()),
				Permits.of(state), state.problem());
	}

	private HolderDescriptor describe(Holder holder, KeyState state) {
		return new HolderDescriptor(owner(holder.owner()), since(holder, state.key()),
				holder.remaining().isNegative() ? null : holder.remaining().toMillis(), holder.holdCount(),
				holder.token(), holder.kept() ? true : null);
	}

	// A lock that was passed on within this instance has a greater token here
	private Instant since(Holder holder, String key) {
		Hold hold = this.own.hold(key, holder.owner());
		return (hold != null && hold.token() >= holder.token()) ? hold.lock().since() : granted(holder.token());
	}

	// A token is the time of the grant in microseconds, by the server's clock, or a
	// little more
	private static Instant granted(long token) {
		Instant granted = Instant.EPOCH.plus(token, ChronoUnit.MICROS);
		Instant now = Instant.now();
		return granted.isAfter(now) ? now : granted;
	}

	// Describe all waiters, in order: those that have a place in the store's queue, and
	// those of this instance that the store does not know. These come right behind the
	// one before them in their instance: a waiter with a place, or else the holder
	private Waiters waiters(KeyState state) {
		List<PlaceName> places = state.waiters().stream().map(PlaceName::of).toList();
		Map<String, LockWait> others = this.own.waits(state.key())
			.stream()
			.collect(Collectors.toMap(LockWait::owner, Function.identity(), (first, second) -> first,
					LinkedHashMap::new));
		List<WaiterDescriptor> line = new ArrayList<>();
		int behind = isHeldHere(state) ? 0 : -1;
		for (PlaceName place : places) {
			LockWait wait = others.remove(place.owner());
			line.add((wait != null) ? describe(wait)
					: new WaiterDescriptor(owner(place.owner()), place.mode(), null, null));
			behind = (wait != null) ? line.size() : behind;
		}
		line.addAll((behind >= 0) ? behind : line.size(), others.values().stream().map(this::describe).toList());
		return Waiters.of(line.stream().limit(StoreView.MOST_WAITERS).toList(),
				Math.max(line.size(), state.waiterCount()));
	}

	private boolean isHeldHere(KeyState state) {
		return state.holders().stream().anyMatch((holder) -> this.own.hold(state.key(), holder.owner()) != null);
	}

	private WaiterDescriptor describe(LockWait wait) {
		return new WaiterDescriptor(owner(wait.owner()), wait.mode(), wait.since(), wait.waited().toMillis());
	}

	private OwnerDescriptor owner(String id) {
		OwnerId owner = OwnerId.of(id);
		Map<String, String> details = this.instances.getOrDefault(owner.instance(), Map.of());
		return new OwnerDescriptor(id, owner.instance(), details.get(InstanceDetails.APPLICATION),
				details.get(InstanceDetails.HOST), OwnerId.toLong(details.get(InstanceDetails.PID)),
				this.own.thread(id), owner.threadId());
	}

}
