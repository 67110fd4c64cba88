package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.holdfast.LogText;
import io.holdfast.engine.LockStore.HoldId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may still be in the store although nobody here holds it: grants whose reply was
 * lost, releases that did not get through, holds that were lost because they could not be
 * renewed. They are cleared away in the background until their lease is over.
 *
 * <p>
 * When the same owner asks for the same key again, it {@link #claim claims} what is left
 * before it asks, which stops the clearing. A release that is under way by then names a
 * token that {@link Tokens} knows: the store grants such a hold anew rather than to
 * confirm it, so that the release cannot hit it.
 *
 * <p>
 * What is to stay taken for a while is not there to be claimed until then: the owner has
 * it {@link #keep kept} before it asks, and is denied like anybody else.
 */
final class Leftovers {

	private static final Logger logger = LoggerFactory.getLogger(Leftovers.class);

	private final ConcurrentHashMap<Leftover.Id, List<Leftover>> leftovers = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Tokens tokens;

	private final Housekeeper housekeeper;

	private final EngineRuntime runtime;

	Leftovers(LockStore store, Tokens tokens, Housekeeper housekeeper, EngineRuntime runtime) {
		this.store = store;
		this.tokens = tokens;
		this.housekeeper = housekeeper;
		this.runtime = runtime;
	}

	/**
	 * Take over what the owner may have left under the keys: it is about to ask for it
	 * again, and what becomes of that is its own business.
	 * @return whether there was something
	 */
	boolean claim(List<String> keys, Owner owner) {
		boolean found = false;
		for (Leftover leftover : find(keys, owner)) {
			if (!leftover.isToBeKept()) {
				leftover.claim();
				remove(leftover);
				found = true;
			}
		}
		return found;
	}

	/**
	 * Have everything kept that the owner has left under the keys to be kept.
	 * @throws LockStoreException when the store cannot be asked
	 */
	void keep(List<String> keys, Owner owner) {
		for (Leftover leftover : find(keys, owner)) {
			if (leftover.isToBeKept() && leftover.clear()) {
				leftover.claim();
				remove(leftover);
			}
		}
	}

	private List<Leftover> find(List<String> keys, Owner owner) {
		return this.leftovers.isEmpty() ? List.of()
				: keys.stream()
					.flatMap((key) -> this.leftovers.getOrDefault(new Leftover.Id(key, owner.id()), List.of()).stream())
					.toList();
	}

	/**
	 * Clear away what attempts to acquire may have left behind.
	 */
	void clearAttempts(List<String> keys, Owner owner, Duration lease) {
		keys.forEach((key) -> clear(
				new LostGrant(new Leftover.Id(key, owner.id()), fromNow(lease), this.store, this.tokens)));
	}

	/**
	 * Clear away a hold that has ended here.
	 */
	void clear(Hold hold) {
		clear(hold.id(), mayLastUntil(hold), fromNow(Duration.ZERO));
	}

	/**
	 * Clear away a hold that has been released here, as soon as its keys need not stay
	 * taken any more.
	 */
	void release(Hold hold) {
		clear(hold.id(), mayLastUntil(hold), fromNow(hold.rest()));
	}

	private long mayLastUntil(Hold hold) {
		return MonotonicClock.later(hold.lease().latestEnd(), fromNow(hold.terms().lease()));
	}

	/**
	 * Give back a grant that nobody wants, now or as soon as the store can be reached.
	 */
	void giveBack(HoldId granted, Duration lease) {
		try {
			this.store.release(granted, 0);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not give back {} now, trying again", LogText.of(granted), ex);
			clear(granted, fromNow(lease), fromNow(Duration.ZERO));
		}
	}

	/**
	 * Give up a place in queues, if the store can be reached.
	 */
	void leaveQueue(List<String> keys, String placeId) {
		try {
			this.store.leave(keys, placeId);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not leave the queues for {}; the place runs out by itself", LogText.of(keys), ex);
		}
	}

	/**
	 * Put down that a hold is to be cleared away with {@link #clearAll all}, as soon as
	 * its keys need not stay taken any more.
	 */
	void takeBack(Hold hold) {
		ended(hold.id(), mayLastUntil(hold), fromNow(hold.rest())).forEach(this::add);
	}

	/**
	 * Clear everything away at once, as far as the store can be reached in time, and
	 * forget it. What comes meanwhile is looked at once more after the housekeeper has
	 * forgotten it; what comes later is the housekeeper's.
	 */
	void clearAll() {
		Clearing clearing = new Clearing(this.runtime);
		clearAll(clearing);
		this.housekeeper.clear();
		clearAll(clearing);
	}

	private void clearAll(Clearing clearing) {
		do {
			clearing.clear(takeAll());
		}
		while (!this.leftovers.isEmpty() && !clearing.isOver());
	}

	private List<Leftover> takeAll() {
		List<Leftover> all = new ArrayList<>();
		for (Leftover.Id id : this.leftovers.keySet()) {
			List<Leftover> taken = this.leftovers.remove(id);
			if (taken != null) {
				all.addAll(taken);
			}
		}
		return all;
	}

	private void clear(HoldId hold, long until, long keptUntil) {
		ended(hold, until, keptUntil).forEach(this::clear);
	}

	private Stream<Leftover> ended(HoldId hold, long until, long keptUntil) {
		return hold.grants()
			.stream()
			.map((grant) -> new EndedHold(new Leftover.Id(grant.key(), hold.owner()), grant, until, keptUntil,
					this.store, this.runtime));
	}

	private void add(Leftover leftover) {
		this.leftovers.merge(leftover.id(), List.of(leftover),
				(present, added) -> Stream.concat(present.stream(), added.stream()).toList());
	}

	private void clear(Leftover leftover) {
		add(leftover);
		this.housekeeper.repeat(List.of(leftover.id().key()), () -> {
			boolean done = isOver(leftover) || attempt(leftover);
			if (done) {
				remove(leftover);
			}
			return done;
		});
	}

	private boolean isOver(Leftover leftover) {
		return leftover.isClaimed() || this.runtime.nanos() - leftover.until() >= 0;
	}

	private static boolean attempt(Leftover leftover) {
		try {
			return leftover.clear();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not clear away {}, trying again", LogText.of(leftover.id()), ex);
			return false;
		}
	}

	private void remove(Leftover leftover) {
		this.leftovers.computeIfPresent(leftover.id(), (id, present) -> {
			List<Leftover> others = present.stream().filter((other) -> other != leftover).toList();
			return others.isEmpty() ? null : others;
		});
	}

	private long fromNow(Duration lease) {
		return this.runtime.nanos() + MonotonicClock.toNanos(lease);
	}

}
