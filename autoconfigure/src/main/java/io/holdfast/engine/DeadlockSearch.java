package io.holdfast.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.engine.Deadlock.Party;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
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

	private static final String SHARED = ",shared";

	private final String localPrefix;

	private final List<Acquisition> callers;

	private final Map<String, Acquisition> localWaits;

	private final Map<String, Map<String, Hold>> held;

	private final Map<String, KeyState> states;

	/**
	 * Look in the store.
	 * @param callers who may be part of a deadlock
	 * @throws LockStoreException when the store cannot be asked
	 */
	DeadlockSearch(String instanceId, LockStore store, Holds holds, Waits waits, List<Acquisition> callers) {
		this.localPrefix = instanceId + ":";
		this.callers = callers;
		this.localWaits = waits.nested()
			.collect(Collectors.toMap(DeadlockSearch::owner, Function.identity(), (one, other) -> one));
		this.held = heldBy(callers.stream().map(DeadlockSearch::owner).collect(Collectors.toSet()), holds.all());
		this.states = store.view()
			.look(callers.stream().flatMap(this::keys).distinct().toList())
			.stream()
			.collect(Collectors.toMap(KeyState::key, Function.identity()));
	}

	private static Map<String, Map<String, Hold>> heldBy(Set<String> owners, Collection<Hold> holds) {
		Map<String, Map<String, Hold>> held = new HashMap<>();
		holds.stream().filter((hold) -> owners.contains(hold.id().owner()) && hold.isHeld()).forEach((hold) -> {
			Map<String, Hold> ofOwner = held.computeIfAbsent(hold.id().owner(), (owner) -> new TreeMap<>());
			hold.terms().keys().forEach((key) -> ofOwner.put(key, hold));
		});
		return held;
	}

	private Stream<String> keys(Acquisition caller) {
		return Stream.concat(wanted(caller), heldBy(owner(caller)));
	}

	private static Stream<String> wanted(Acquisition caller) {
		return caller.claimant().keys().stream().sorted().limit(MOST_KEYS);
	}

	private Stream<String> heldBy(String owner) {
		return this.held.getOrDefault(owner, Map.of()).keySet().stream().limit(MOST_KEYS);
	}

	/**
	 * Return what was found, as far as this instance is to tell it.
	 */
	Set<Deadlock> found() {
		Set<Deadlock> found = new HashSet<>();
		this.callers.forEach((caller) -> wanted(caller).map(this.states::get)
			.filter((state) -> state != null)
			.forEach((state) -> state.holders()
				.stream()
				.filter((holder) -> isInTheWay(holder, state, caller))
				.map((holder) -> deadlock(caller, state, holder))
				.filter((deadlock) -> deadlock != null)
				.forEach(found::add)));
		return found;
	}

	private static boolean isInTheWay(Holder holder, KeyState state, Acquisition caller) {
		boolean sharing = state.mode() == LockMode.SHARED && caller.claimant().terms().mode() == LockMode.SHARED;
		return !sharing && !holder.kept() && !holder.owner().equals(owner(caller));
	}

	/**
	 * Return the deadlock of a caller with one who holds what it waits for, or
	 * {@code null} when that one does not wait for the caller.
	 */
	private @Nullable Deadlock deadlock(Acquisition caller, KeyState state, Holder holder) {
		String owner = owner(caller);
		if (!isToldHere(owner, holder.owner(), state)) {
			return null;
		}
		for (String key : heldBy(owner).toList()) {
			Hold hold = this.held.getOrDefault(owner, Map.of()).get(key);
			String place = (hold != null) ? placeOf(holder.owner(), key, hold.mode()) : null;
			if (hold != null && place != null) {
				return Deadlock.of(new Party(owner, key, hold.token(key), place(caller)),
						new Party(holder.owner(), state.key(), holder.token(), place));
			}
		}
		return null;
	}

	/**
	 * Of two instances that both see a deadlock, that of the smaller owner tells it. The
	 * other owner's instance does, if its caller has no place in the queue that the other
	 * could see.
	 */
	private boolean isToldHere(String owner, String other, KeyState wanted) {
		return isLocal(other) || owner.compareTo(other) < 0
				|| wanted.waiters().stream().noneMatch((place) -> owner(place).equals(owner));
	}

	/**
	 * Return where an owner waits for a key that another one holds, or {@code null} when
	 * it does not.
	 */
	private @Nullable String placeOf(String owner, String key, LockMode heldAs) {
		if (isLocal(owner)) {
			Acquisition wait = this.localWaits.get(owner);
			return (wait != null && wait.isForOneOf(List.of(key))
					&& !(heldAs == LockMode.SHARED && wait.claimant().terms().mode() == LockMode.SHARED)) ? place(wait)
							: null;
		}
		KeyState state = this.states.get(key);
		return (state == null) ? null
				: state.waiters()
					.stream()
					.filter((place) -> owner(place).equals(owner))
					.filter((place) -> !(heldAs == LockMode.SHARED && place.endsWith(SHARED)))
					.findFirst()
					.orElse(null);
	}

	private boolean isLocal(String owner) {
		return owner.startsWith(this.localPrefix);
	}

	private static String owner(Acquisition caller) {
		return caller.claimant().owner().id();
	}

	private static String owner(String place) {
		return place.substring(0, Math.max(0, place.lastIndexOf('#')));
	}

	private static String place(Acquisition caller) {
		QueuePlace place = caller.claimant().place();
		return (place != null) ? place.id() : owner(caller);
	}

}
