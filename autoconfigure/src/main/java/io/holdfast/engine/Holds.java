package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.Tally;
import org.jspecify.annotations.Nullable;

/**
 * The holds of this instance, at most one for each key and owner.
 */
final class Holds {

	private final ConcurrentHashMap<OwnedKey, Hold> holds = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

	private final Tally tally;

	private final Overruns overruns;

	private final RenewalTrouble trouble;

	/**
	 * Create holds.
	 * @param overruns told when a hold begins, and when it has ended
	 * @param trouble told when a hold has ended
	 */
	Holds(Overruns overruns, RenewalTrouble trouble, EngineRuntime runtime) {
		this.overruns = overruns;
		this.trouble = trouble;
		this.tally = new Tally(runtime);
	}

	/**
	 * Return what an owner holds of some keys: each hold once, with those of the keys
	 * that it has.
	 */
	Map<Hold, List<String>> find(List<String> keys, Owner owner) {
		if (this.holds.isEmpty()) {
			return Map.of();
		}
		Map<Hold, List<String>> found = new LinkedHashMap<>();
		for (String key : keys) {
			Hold hold = this.holds.get(new OwnedKey(key, owner.id()));
			if (hold != null) {
				found.computeIfAbsent(hold, (h) -> new ArrayList<>()).add(key);
			}
		}
		return found;
	}

	/**
	 * Return what an owner holds of a key, or {@code null} when that is nothing.
	 */
	@Nullable Hold find(String key, String ownerId) {
		return this.holds.get(new OwnedKey(key, ownerId));
	}

	/**
	 * Return whether an owner holds anything.
	 */
	boolean isHolder(Owner owner) {
		return this.counts.containsKey(owner.id());
	}

	/**
	 * Add a hold. Only from then on is it to be removed.
	 */
	void add(Hold hold) {
		this.tally.begin();
		try {
			hold.ownedKeys().forEach((key) -> this.holds.put(key, hold));
			this.counts.merge(hold.owner().id(), 1, Integer::sum);
		}
		catch (Throwable ex) {
			removeKeys(hold);
			this.tally.end();
			throw ex;
		}
		this.overruns.began(hold);
	}

	/**
	 * Remove a hold, unless that has been done. Takes no memory for that.
	 */
	void remove(Hold hold) {
		if (removeKeys(hold)) {
			this.counts.computeIfPresent(hold.owner().id(), (owner, count) -> (count > 1) ? count - 1 : null);
			this.tally.end();
			this.overruns.ended(hold);
			this.trouble.ended(hold);
		}
	}

	private boolean removeKeys(Hold hold) {
		List<OwnedKey> keys = hold.ownedKeys();
		boolean removed = false;
		for (int i = 0; i < keys.size(); i++) {
			removed |= this.holds.remove(keys.get(i), hold);
		}
		return removed;
	}

	Collection<Hold> all() {
		return this.holds.values().stream().distinct().toList();
	}

	/**
	 * Return who has them, some more than once.
	 */
	Stream<Owner> owners() {
		return this.holds.values().stream().map(Hold::owner);
	}

	/**
	 * Return how many there are.
	 */
	int count() {
		return this.tally.count();
	}

	/**
	 * Wait until nothing is held any more.
	 * @param atMost how long to wait
	 */
	void awaitNone(Duration atMost) {
		this.tally.awaitNone(atMost);
	}

}
