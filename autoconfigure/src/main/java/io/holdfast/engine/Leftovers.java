package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.holdfast.LogText;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may still be in the store although nobody here holds it: grants whose reply was
 * lost, releases that did not get through, holds that were lost because they could not be
 * renewed. They are cleared away in the background until their lease is over.
 *
 * <p>
 * All of them are named: a hold by its tokens, a grant by the number of its claim. So the
 * same owner may ask for the same key again meanwhile, and what it is granted then is
 * left alone. Only what is to stay taken for a while it has {@link #keep kept} before it
 * asks, and is denied like anybody else.
 */
final class Leftovers {

	private static final Logger logger = LoggerFactory.getLogger(Leftovers.class);

	private final ConcurrentHashMap<Leftover.Id, List<Leftover>> leftovers = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Housekeeper housekeeper;

	private final EngineRuntime runtime;

	Leftovers(LockStore store, Housekeeper housekeeper, EngineRuntime runtime) {
		this.store = store;
		this.housekeeper = housekeeper;
		this.runtime = runtime;
	}

	/**
	 * Have everything kept that the owner has left under the keys to be kept.
	 * @throws LockStoreException when the store cannot be asked
	 */
	void keep(List<String> keys, Owner owner) {
		for (Leftover leftover : find(keys, owner)) {
			if (leftover.isToBeKept() && leftover.clear()) {
				leftover.settle();
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
	 * Withdraw what claims of an owner may have been granted, or may be yet.
	 * @param claim the last of them
	 */
	void withdraw(Claim claim) {
		claim.keys()
			.forEach((key) -> clear(new LostGrant(new Leftover.Id(key, claim.owner()), claim.number(),
					fromNow(claim.lease()), this.store)));
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
			.map((grant) -> new EndedHold(new Leftover.Id(grant.key(), hold.owner()), hold.holder(), grant, until,
					keptUntil, this.store, this.runtime));
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
		return leftover.isSettled() || this.runtime.nanos() - leftover.until() >= 0;
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
