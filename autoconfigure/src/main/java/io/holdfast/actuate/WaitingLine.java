package io.holdfast.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.store.PlaceName;
import io.holdfast.engine.store.StoreView;
import io.holdfast.engine.store.StoreView.KeyState;

/**
 * Puts in order who waits for a lock: those who have a place in the store's queue, and
 * those of this instance who stand in line within it and of whom the store knows nothing.
 */
final class WaitingLine {

	private final OwnLocks own;

	private final Owners owners;

	WaitingLine(OwnLocks own, Owners owners) {
		this.own = own;
		this.owners = owners;
	}

	/**
	 * Describe those of this instance.
	 */
	Waiters describe(String key) {
		List<LockWait> waits = this.own.waits(key);
		return new Waiters(waits.stream().limit(StoreView.MOST_WAITERS).map(this::describe).toList(), waits.size());
	}

	/**
	 * Describe all. Those of whom the store does not know come right behind who is before
	 * them in their instance: a waiter with a place, or else the lock's holder.
	 */
	Waiters describe(KeyState state) {
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
					: WaiterDescriptor.of(this.owners.describe(place.owner()), place.mode(), null, null));
			behind = (wait != null) ? line.size() : behind;
		}
		line.addAll((behind >= 0) ? behind : line.size(), others.values().stream().map(this::describe).toList());
		return new Waiters(line.stream().limit(StoreView.MOST_WAITERS).toList(),
				Math.max(line.size(), state.waiterCount()));
	}

	private boolean isHeldHere(KeyState state) {
		return state.holders().stream().anyMatch((holder) -> this.own.hold(state.key(), holder.owner()) != null);
	}

	private WaiterDescriptor describe(LockWait wait) {
		return WaiterDescriptor.of(this.owners.describe(wait.owner()), wait.mode(), wait.since(), wait.waited());
	}

	/**
	 * Those who wait for a lock.
	 *
	 * @param told the first of them, in order
	 * @param count how many there are, as far as that is known
	 */
	record Waiters(List<WaiterDescriptor> told, int count) {
	}

}
