package io.holdfast.engine;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.LockMode;
import io.holdfast.engine.store.PlaceName;
import io.holdfast.engine.store.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for a key at one moment: callers of this instance, wherever they stand, and
 * those of others that have a place in the store.
 */
final class KnownWaits {

	private final String localPrefix;

	private final Map<String, Acquisition> local;

	private final Map<String, KeyState> states;

	/**
	 * Create a view.
	 * @param states what the store has told, by key
	 */
	KnownWaits(String instanceId, Waits waits, Map<String, KeyState> states) {
		this.localPrefix = instanceId + ":";
		this.local = waits.nested()
			.collect(Collectors.toMap(KnownWaits::owner, Function.identity(), (one, other) -> one));
		this.states = states;
	}

	/**
	 * Return where an owner waits for a key that another one holds, or {@code null} when
	 * it does not, or could share it.
	 */
	@Nullable String placeOf(String owner, String key, LockMode heldAs) {
		String place = isLocal(owner) ? localPlace(owner, key) : storedPlace(owner, key);
		boolean shares = heldAs == LockMode.SHARED && place != null && PlaceName.of(place).mode() == LockMode.SHARED;
		return shares ? null : place;
	}

	private @Nullable String localPlace(String owner, String key) {
		Acquisition wait = this.local.get(owner);
		return (wait != null && wait.isForOneOf(List.of(key))) ? place(wait) : null;
	}

	private @Nullable String storedPlace(String owner, String key) {
		KeyState state = this.states.get(key);
		return (state == null) ? null
				: state.waiters()
					.stream()
					.filter((place) -> PlaceName.of(place).owner().equals(owner))
					.findFirst()
					.orElse(null);
	}

	/**
	 * Return whether an owner belongs to this instance.
	 */
	boolean isLocal(String owner) {
		return owner.startsWith(this.localPrefix);
	}

	/**
	 * Return whether others can see that an owner waits for a key.
	 */
	boolean isSeenByOthers(String owner, String key) {
		return storedPlace(owner, key) != null;
	}

	static String owner(Acquisition caller) {
		return caller.owner().id();
	}

	/**
	 * Return what names a wait: its owner, when it has begun, and what is wanted.
	 */
	static String place(Acquisition caller) {
		return new PlaceName(owner(caller), caller.deadline().start(), false, caller.terms().mode()).toString();
	}

}
