package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * What tests ask of a store.
 */
public final class Claims {

	private Claims() {
	}

	/**
	 * Claim the exclusive lock of a key.
	 */
	public static Claim exclusive(String key, String owner, Duration lease, long staleToken,
			@Nullable QueuePlace place) {
		return new Claim(List.of(key), owner, LockMode.EXCLUSIVE, false, false, lease, staleToken, place);
	}

}
