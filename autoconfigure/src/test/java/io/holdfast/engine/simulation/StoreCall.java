package io.holdfast.engine.simulation;

import java.util.List;
import java.util.function.Function;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * Something that an instance asks the store for.
 *
 * @param name the operation
 * @param keys the keys that it is about
 * @param detail what else it is about, as people read it
 * @param ended the hold that it ends, or {@code null}
 * @param action asks a store for it
 * @param <T> what is answered
 */
record StoreCall<T>(String name, List<String> keys, String detail, @Nullable String claim, @Nullable HoldId ended,
		Function<LockStore, T> action) {

	boolean ends(String key, String owner, long token) {
		return this.ended != null && this.ended.owner().equals(owner)
				&& this.ended.grants().stream().anyMatch((grant) -> grant.key().equals(key) && grant.token() == token);
	}

	@Override
	public String toString() {
		return this.name + " " + this.detail;
	}

}
