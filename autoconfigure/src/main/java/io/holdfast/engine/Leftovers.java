package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.holdfast.engine.LockStore.HoldId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may still be in the store although nobody here holds it: grants whose reply was
 * lost, releases that did not get through, holds that were lost because they could not be
 * renewed. They are cleared away in the background until their lease is over.
 *
 * <p>
 * When the same owner asks for the same key again, it takes its leftovers over:
 * {@link #claim} stops the clearing, so that it can never hit the new hold, and tells the
 * token up to which a hold found in the store is an old one.
 */
final class Leftovers {

	private static final Logger logger = LoggerFactory.getLogger(Leftovers.class);

	private final ConcurrentHashMap<Id, List<Leftover>> leftovers = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Housekeeper housekeeper;

	private final MonotonicClock clock;

	Leftovers(LockStore store, Housekeeper housekeeper, MonotonicClock clock) {
		this.store = store;
		this.housekeeper = housekeeper;
		this.clock = clock;
	}

	/**
	 * Take over what the owner may have left under the key.
	 * @return the greatest token of a hold that was left; zero when there is none, or
	 * when none is known
	 */
	long claim(String key, Owner owner) {
		List<Leftover> claimed = this.leftovers.isEmpty() ? null : this.leftovers.remove(new Id(key, owner.id()));
		long token = 0;
		if (claimed != null) {
			for (Leftover leftover : claimed) {
				leftover.claimed = true;
				token = Math.max(token, leftover.token);
			}
		}
		return token;
	}

	/**
	 * Clear away what attempts to acquire may have left behind.
	 * @param claimedToken what {@link #claim} returned before the attempts
	 */
	void clearAttempts(String key, Owner owner, long claimedToken, Duration lease) {
		clear(add(new Id(key, owner.id()), claimedToken, lease), this::findAndRelease);
	}

	/**
	 * Clear away a hold that has ended here.
	 */
	void clear(Hold hold) {
		clear(add(hold), this::release);
	}

	/**
	 * Note a hold that has ended here, but is not to be cleared away yet.
	 */
	void keep(Hold hold) {
		Leftover leftover = add(hold);
		this.housekeeper.runAfter(hold.terms().lease(), () -> remove(leftover));
	}

	/**
	 * Clear everything away at once, as far as the store can be reached.
	 */
	void clearAll() {
		try {
			this.leftovers.values().stream().flatMap(List::stream).forEach(this::findOrRelease);
		}
		catch (LockStoreException ex) {
			logger.debug("Could not clear away what is left; it expires by itself", ex);
		}
		this.leftovers.values().stream().flatMap(List::stream).forEach((leftover) -> leftover.claimed = true);
		this.leftovers.clear();
	}

	private void findOrRelease(Leftover leftover) {
		if (leftover.token != 0) {
			release(leftover);
		}
		else {
			findAndRelease(leftover);
		}
	}

	private Leftover add(Hold hold) {
		HoldId id = hold.id();
		return add(new Id(id.key(), id.owner()), id.token(), hold.terms().lease());
	}

	private Leftover add(Id id, long token, Duration lease) {
		Leftover leftover = new Leftover(id, token, this.clock.nanos() + MonotonicClock.toNanos(lease));
		this.leftovers.merge(id, List.of(leftover),
				(present, added) -> Stream.concat(present.stream(), added.stream()).toList());
		return leftover;
	}

	private void remove(Leftover leftover) {
		this.leftovers.computeIfPresent(leftover.id, (id, present) -> {
			List<Leftover> others = present.stream().filter((other) -> other != leftover).toList();
			return others.isEmpty() ? null : others;
		});
	}

	private void clear(Leftover leftover, Predicate<Leftover> clearing) {
		this.housekeeper.repeat(() -> {
			boolean over = leftover.claimed || this.clock.nanos() - leftover.until >= 0;
			boolean done = over || attempt(leftover, clearing);
			if (done) {
				remove(leftover);
			}
			return done;
		});
	}

	private boolean attempt(Leftover leftover, Predicate<Leftover> clearing) {
		try {
			return clearing.test(leftover);
		}
		catch (LockStoreException ex) {
			logger.debug("Could not clear away {}, trying again", leftover.id, ex);
			return false;
		}
	}

	private boolean release(Leftover leftover) {
		this.store.release(leftover.id.withToken(leftover.token), 0);
		return true;
	}

	/**
	 * Look whether there has been a grant, then release exactly that. Finding none proves
	 * nothing: the lost request may still be on its way.
	 */
	private boolean findAndRelease(Leftover leftover) {
		OptionalLong token = this.store.findToken(leftover.id.key(), leftover.id.owner());
		if (token.isPresent() && !leftover.claimed) {
			this.store.release(leftover.id.withToken(token.getAsLong()), 0);
		}
		return token.isPresent();
	}

	private static final class Leftover {

		private final Id id;

		private final long token;

		private final long until;

		private volatile boolean claimed;

		private Leftover(Id id, long token, long until) {
			this.id = id;
			this.token = token;
			this.until = until;
		}

	}

	private record Id(String key, String owner) {

		private HoldId withToken(long token) {
			return new HoldId(this.key, this.owner, token);
		}

	}

}
