package io.holdfast.diagnostics;

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
import io.holdfast.diagnostics.Deadlock.Party;
import io.holdfast.diagnostics.NestedWaiters.Wait;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.PlaceName;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Looks in the store, once, for owners that wait for what a caller of this instance
 * holds, and hold what that one waits for.
 */
final class DeadlockSearch {

	/**
	 * How many keys of a caller are checked, of those that it holds and of those that it
	 * waits for.
	 */
	private static final int MOST_KEYS = 25;

	private final String localPrefix;

	private final List<Wait> looked;

	private final Map<String, Wait> local;

	private final Map<String, Map<String, HeldKey>> held;

	private final Map<String, KeyState> states;

	/**
	 * Look in the store.
	 * @param all the nested waits of this instance
	 * @param looked those that may be part of a deadlock
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	DeadlockSearch(LockOperations operations, List<Wait> all, List<Wait> looked) {
		this.localPrefix = operations.instanceId() + ":";
		this.looked = looked;
		this.local = all.stream().collect(Collectors.toMap(Wait::owner, Function.identity(), (one, other) -> one));
		this.held = held(looked.stream().map(Wait::owner).collect(Collectors.toSet()), operations);
		this.states = operations.view()
			.look(looked.stream().flatMap(this::keys).distinct().toList())
			.stream()
			.collect(Collectors.toMap(KeyState::key, Function.identity()));
	}

	/**
	 * Return what owners hold: in order, so that of two callers that hold and want
	 * several keys the same ones are found from both sides.
	 */
	private static Map<String, Map<String, HeldKey>> held(Set<String> owners, LockOperations operations) {
		return operations.heldLocks()
			.stream()
			.filter((lock) -> owners.contains(lock.id().owner()) && lock.isOpen())
			.flatMap(HeldKey::of)
			.collect(Collectors.groupingBy(HeldKey::owner,
					Collectors.toMap(HeldKey::key, Function.identity(), (one, other) -> other, TreeMap::new)));
	}

	private Stream<String> keys(Wait wait) {
		return Stream.concat(wanted(wait), held(wait).map(HeldKey::key));
	}

	private static Stream<String> wanted(Wait wait) {
		return wait.keys().stream().sorted().limit(MOST_KEYS);
	}

	private Stream<HeldKey> held(Wait wait) {
		return this.held.getOrDefault(wait.owner(), Map.of()).values().stream().limit(MOST_KEYS);
	}

	/**
	 * Return the deadlocks that this instance should report.
	 */
	Set<Deadlock> found() {
		return this.looked.stream().flatMap((wait) -> found(wait).values().stream()).collect(Collectors.toSet());
	}

	/**
	 * Return the deadlocks of a caller, one for each other owner.
	 */
	private Map<String, Deadlock> found(Wait wait) {
		Map<String, Deadlock> found = new LinkedHashMap<>();
		wanted(wait).map(this.states::get).filter(Objects::nonNull).forEach((state) -> {
			for (Holder holder : state.holders()) {
				Deadlock deadlock = isInTheWay(holder, state, wait) ? deadlock(wait, state.key(), holder) : null;
				if (deadlock != null) {
					found.putIfAbsent(holder.owner(), deadlock);
				}
			}
		});
		return found;
	}

	private boolean isInTheWay(Holder holder, KeyState state, Wait wait) {
		boolean shares = state.mode() == LockMode.SHARED && wait.place().mode() == LockMode.SHARED;
		return !shares && !holder.kept() && !holder.owner().equals(wait.owner())
				&& isToldHere(wait.owner(), holder.owner(), state.key());
	}

	/**
	 * If two instances see a deadlock, the one with the smaller owner reports it. The
	 * other one does if its caller has no place in the queue that the first could see.
	 */
	private boolean isToldHere(String owner, String other, String wanted) {
		return isLocal(other) || owner.compareTo(other) < 0 || storedPlace(owner, wanted) == null;
	}

	/**
	 * Return the deadlock of a caller with a holder of what it waits for, or {@code null}
	 * if that one does not wait for the caller.
	 */
	private @Nullable Deadlock deadlock(Wait wait, String wanted, Holder holder) {
		for (HeldKey own : held(wait).toList()) {
			PlaceName place = placeFor(own, holder.owner());
			if (place != null) {
				return Deadlock.of(new Party(own.owner(), own.key(), own.token(), wait.place().toString()),
						new Party(holder.owner(), wanted, holder.token(), place.toString()));
			}
		}
		return null;
	}

	/**
	 * Return where an owner waits for a key that another one holds, or {@code null} when
	 * it does not, or could share it.
	 */
	private @Nullable PlaceName placeFor(HeldKey held, String owner) {
		PlaceName place = isLocal(owner) ? localPlace(owner, held.key()) : storedPlace(owner, held.key());
		boolean shares = held.mode() == LockMode.SHARED && place != null && place.mode() == LockMode.SHARED;
		return shares ? null : place;
	}

	private boolean isLocal(String owner) {
		return owner.startsWith(this.localPrefix);
	}

	private @Nullable PlaceName localPlace(String owner, String key) {
		Wait wait = this.local.get(owner);
		return (wait != null) ? wait.placeFor(key) : null;
	}

	private @Nullable PlaceName storedPlace(String owner, String key) {
		KeyState state = this.states.get(key);
		return (state == null) ? null
				: state.waiters()
					.stream()
					.map(PlaceName::of)
					.filter((place) -> place.owner().equals(owner))
					.findFirst()
					.orElse(null);
	}

	/**
	 * A key that an owner in this instance holds.
	 */
	private record HeldKey(String owner, String key, long token, LockMode mode) {

		static Stream<HeldKey> of(HeldLock lock) {
			return lock.id().grants().stream().map((grant) -> of(lock, grant));
		}

		private static HeldKey of(HeldLock lock, Grant grant) {
			return new HeldKey(lock.id().owner(), grant.key(), grant.token(), lock.mode());
		}

	}

}
