package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * What tests ask of a store.
 */
public final class Claims {

	private Claims() {
	}

	public static Claim exclusive(String key, String owner, Duration lease, long number, @Nullable QueuePlace place) {
		return new Claim(List.of(key), owner, number, LockMode.EXCLUSIVE, false, lease, place);
	}

	public static List<HoldId> held(LockStore store, String key, String owner) {
		return store.view()
			.look(List.of(key))
			.stream()
			.flatMap((state) -> state.holders().stream())
			.filter((holder) -> holder.owner().equals(owner) && !holder.kept())
			.map((holder) -> new HoldId(key, owner, holder.token()))
			.toList();
	}

}
