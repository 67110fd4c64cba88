package io.holdfast.engine;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.engine.Deadlock.Party;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Looks in the store, once, for owners that wait for what a caller of this instance
 * holds, and hold what that one waits for.
 */
final class DeadlockSearch {

	/**
	 * How many keys of a caller are looked at, of those that it holds and of those that
	 * it waits for.
	 */
	private static final int MOST_KEYS = 25;

	private final List<Acquisition> callers;

	private final Map<String, Map<String, Hold>> held;

	private final Map<String, KeyState> states;

	private final KnownWaits waits;

	/**
	 * Look in the store.
	 * @param callers who may be part of a deadlock
	 * @throws LockStoreException when the store cannot be asked
	 */
	DeadlockSearch(String instanceId, LockStore store, Holds holds, Waits waits, List<Acquisition> callers) {
		this.callers = callers;
		this.held = held(callers.stream().map(KnownWaits::owner).collect(Collectors.toSet()), holds);
		this.states = store.view()
			.look(callers.stream().flatMap(this::keys).distinct().toList())
			.stream()
			.collect(Collectors.toMap(KeyState::key, Function.identity()));
		this.waits = new KnownWaits(instanceId, waits, this.states);
	}

	/**
	 * Return what owners hold: in order, so that of two callers that hold and want
	 * several keys the same ones are found from both sides.
	 */
	private static Map<String, Map<String, Hold>> held(Set<String> owners, Holds holds) {
		Map<String, Map<String, Hold>> held = new HashMap<>();
		holds.all().stream().filter((hold) -> owners.contains(hold.owner().id()) && hold.isHeld()).forEach((hold) -> {
			Map<String, Hold> ofOwner = held.computeIfAbsent(hold.owner().id(), (owner) -> new TreeMap<>());
			hold.terms().keys().forEach((key) -> ofOwner.put(key, hold));
		});
		return held;
	}

	private Stream<String> keys(Acquisition caller) {
		return Stream.concat(wanted(caller), held(caller).map(Map.Entry::getKey));
	}

	private static Stream<String> wanted(Acquisition caller) {
		return caller.terms().keys().stream().sorted().limit(MOST_KEYS);
	}

	private Stream<Map.Entry<String, Hold>> held(Acquisition caller) {
		return this.held.getOrDefault(KnownWaits.owner(caller), Map.of()).entrySet().stream().limit(MOST_KEYS);
	}

	/**
	 * Return what was found, as far as this instance is to tell it.
	 */
	Set<Deadlock> found() {
		return this.callers.stream().flatMap((caller) -> found(caller).values().stream()).collect(Collectors.toSet());
	}

	/**
	 * Return the deadlocks of a caller, one for each other owner.
	 */
	private Map<String, Deadlock> found(Acquisition caller) {
		Map<String, Deadlock> found = new LinkedHashMap<>();
		wanted(caller).map(this.states::get).filter(Objects::nonNull).forEach((state) -> {
			for (Holder holder : state.holders()) {
				Deadlock deadlock = isInTheWay(holder, state, caller) ? deadlock(caller, state.key(), holder) : null;
				if (deadlock != null) {
					found.putIfAbsent(holder.owner(), deadlock);
				}
			}
		});
		return found;
	}

	private boolean isInTheWay(Holder holder, KeyState state, Acquisition caller) {
		String owner = KnownWaits.owner(caller);
		boolean shares = state.mode() == LockMode.SHARED && caller.terms().mode() == LockMode.SHARED;
		return !shares && !holder.kept() && !holder.owner().equals(owner)
				&& isToldHere(owner, holder.owner(), state.key());
	}

	/**
	 * Of two instances that both see a deadlock, that of the smaller owner tells it. The
	 * other owner's instance does, if its caller has no place in the queue that the other
	 * could see.
	 */
	private boolean isToldHere(String owner, String other, String wanted) {
		return this.waits.isLocal(other) || owner.compareTo(other) < 0 || !this.waits.isSeenByOthers(owner, wanted);
	}

	/**
	 * Return the deadlock of a caller with one who holds what it waits for, or
	 * {@code null} when that one does not wait for the caller.
	 */
	private @Nullable Deadlock deadlock(Acquisition caller, String wanted, Holder holder) {
		for (Map.Entry<String, Hold> entry : held(caller).toList()) {
			Hold hold = entry.getValue();
			String place = this.waits.placeOf(holder.owner(), entry.getKey(), hold.mode());
			if (place != null) {
				return Deadlock.of(new Party(hold.owner().id(), entry.getKey(), hold.token(entry.getKey()),
						KnownWaits.place(caller)), new Party(holder.owner(), wanted, holder.token(), place));
			}
		}
		return null;
	}

}
