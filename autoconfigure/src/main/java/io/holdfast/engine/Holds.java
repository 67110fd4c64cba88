package io.holdfast.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The holds of this instance, at most one for each key and owner.
 */
final class Holds {

	private final ConcurrentHashMap<Id, Hold> holds = new ConcurrentHashMap<>();

	private final Tally tally = new Tally();

	@Nullable Hold find(String key, Owner owner) {
		return this.holds.get(new Id(key, owner.id()));
	}

	void add(Hold hold) {
		this.tally.begin();
		this.holds.put(Id.of(hold), hold);
	}

	void remove(Hold hold) {
		if (this.holds.remove(Id.of(hold), hold)) {
			this.tally.end();
		}
	}

	Collection<Hold> all() {
		return List.copyOf(this.holds.values());
	}

	/**
	 * Wait until nothing is held any more.
	 * @param atMost how long to wait
	 */
	void awaitNone(Duration atMost) {
		this.tally.awaitNone(atMost);
	}

	private record Id(String key, String ownerId) {

		private static Id of(Hold hold) {
			return new Id(hold.id().key(), hold.id().owner());
		}

	}

}
