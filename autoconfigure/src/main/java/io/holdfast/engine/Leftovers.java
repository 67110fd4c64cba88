package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.holdfast.engine.LockStore.Grant;
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

	private final ConcurrentHashMap<Id, List<Leftover>> leftovers = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Tokens tokens;

	private final Housekeeper housekeeper;

	private final MonotonicClock clock;

	Leftovers(LockStore store, Tokens tokens, Housekeeper housekeeper, MonotonicClock clock) {
		this.store = store;
		this.tokens = tokens;
		this.housekeeper = housekeeper;
		this.clock = clock;
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
					.flatMap((key) -> this.leftovers.getOrDefault(new Id(key, owner.id()), List.of()).stream())
					.toList();
	}

	/**
	 * Clear away what attempts to acquire may have left behind.
	 */
	void clearAttempts(List<String> keys, Owner owner, Duration lease) {
		keys.forEach((key) -> clear(new LostGrant(new Id(key, owner.id()), fromNow(lease))));
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
			logger.debug("Could not give back {} now, trying again", granted, ex);
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
			logger.debug("Could not leave the queues for {}; the place runs out by itself", keys, ex);
		}
	}

	/**
	 * Clear everything away at once, as far as the store can be reached.
	 */
	void clearAll() {
		List<Leftover> all = this.leftovers.values().stream().flatMap(List::stream).toList();
		this.leftovers.clear();
		for (Leftover leftover : all) {
			try {
				leftover.clear();
			}
			catch (LockStoreException ex) {
				logger.debug("Could not clear away {}; it expires by itself", leftover.id, ex);
				if (ex.isTransient()) {
					break;
				}
			}
		}
		all.forEach(Leftover::claim);
	}

	private void clear(HoldId hold, long until, long keptUntil) {
		for (Grant grant : hold.grants()) {
			clear(new EndedHold(new Id(grant.key(), hold.owner()), grant, until, keptUntil));
		}
	}

	private void clear(Leftover leftover) {
		this.leftovers.merge(leftover.id, List.of(leftover),
				(present, added) -> Stream.concat(present.stream(), added.stream()).toList());
		this.housekeeper.repeat(() -> {
			boolean done = isOver(leftover) || attempt(leftover);
			if (done) {
				remove(leftover);
			}
			return done;
		});
	}

	private boolean isOver(Leftover leftover) {
		return leftover.isClaimed() || this.clock.nanos() - leftover.until >= 0;
	}

	private static boolean attempt(Leftover leftover) {
		try {
			return leftover.clear();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not clear away {}, trying again", leftover.id, ex);
			return false;
		}
	}

	private void remove(Leftover leftover) {
		this.leftovers.computeIfPresent(leftover.id, (id, present) -> {
			List<Leftover> others = present.stream().filter((other) -> other != leftover).toList();
			return others.isEmpty() ? null : others;
		});
	}

	private long fromNow(Duration lease) {
		return this.clock.nanos() + MonotonicClock.toNanos(lease);
	}

	private abstract static class Leftover {

		private final Id id;

		private final long until;

		private boolean claimed;

		Leftover(Id id, long until) {
			this.id = id;
			this.until = until;
		}

		/**
		 * Try to clear it away.
		 * @return whether there is nothing more to do
		 */
		abstract boolean clear();

		/**
		 * Return whether nobody is to have it now, its owner no more than others.
		 */
		boolean isToBeKept() {
			return false;
		}

		synchronized void claim() {
			this.claimed = true;
		}

		synchronized boolean isClaimed() {
			return this.claimed;
		}

	}

	/**
	 * A hold that is known, and perhaps to be kept for the rest of a time.
	 */
	private final class EndedHold extends Leftover {

		private final HoldId hold;

		private final long keptUntil;

		private EndedHold(Id id, Grant grant, long until, long keptUntil) {
			super(id, until);
			this.hold = new HoldId(id.owner(), List.of(grant));
			this.keptUntil = keptUntil;
		}

		@Override
		boolean clear() {
			long rest = rest();
			if (rest > 0) {
				Leftovers.this.store.keep(this.hold, Duration.ofNanos(rest));
			}
			else {
				Leftovers.this.store.release(this.hold, 0);
			}
			return true;
		}

		@Override
		boolean isToBeKept() {
			return rest() > 0;
		}

		private long rest() {
			return this.keptUntil - Leftovers.this.clock.nanos();
		}

	}

	/**
	 * A grant that there may have been, or may be yet: the lost request can still be on
	 * its way. So one looks for it as long as its lease could last.
	 */
	private final class LostGrant extends Leftover {

		private LostGrant(Id id, long until) {
			super(id, until);
		}

		@Override
		boolean clear() {
			Id id = super.id;
			for (HoldId found : Leftovers.this.store.find(id.key(), id.owner())) {
				if (noteUnlessClaimed(found.grants().get(0).token())) {
					Leftovers.this.store.release(found, 0);
				}
			}
			return false;
		}

		/**
		 * Once the token is known to be an old one, whoever claims afterwards gets
		 * another.
		 */
		private synchronized boolean noteUnlessClaimed(long token) {
			if (isClaimed()) {
				return false;
			}
			Leftovers.this.tokens.seen(token);
			return true;
		}

	}

	private record Id(String key, String owner) {

	}

}
