package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * Where the truth about locks is kept: the remote half of a lock.
 *
 * <p>
 * Every operation is a single atomic step and can be repeated after a lost reply without
 * changing what it has led to (although a release that is repeated finds nothing held any
 * more): counts are absolute, and a hold is named by its owner <em>and</em> the fencing
 * token it was granted, so that an operation meant for one hold never touches a later one
 * of the same owner. An operation that fails with a {@link LockStoreException} may or may
 * not have been carried out, and may even be carried out later.
 *
 * @since 0.1.0
 */
public interface LockStore {

	/**
	 * Try to get the exclusive lock of a key. An owner that has it already is given the
	 * token of that grant again, so that a repeated claim changes nothing; unless that
	 * grant is a stale one, in which case it is granted anew.
	 * @param claim what is wanted, and by whom
	 * @return the grant, or who stands in the way
	 * @throws LockStoreException when the store cannot be asked
	 */
	Outcome acquire(Claim claim);

	/**
	 * Change the count of a hold that is held already, and make it last at least so long.
	 * @param hold the hold
	 * @param holdCount the count it gets
	 * @param lease the least time that it lasts from now on
	 * @return how long it lasts, or {@code null} when it is not held any more
	 * @throws LockStoreException when the store cannot be asked
	 */
	@Nullable Duration reenter(HoldId hold, int holdCount, Duration lease);

	/**
	 * Make holds last at least so long from now on.
	 * @param renewals the holds
	 * @return for each, in the same order, how long it lasts, or {@code null} when it is
	 * not held any more
	 * @throws LockStoreException when the store cannot be asked
	 */
	List<@Nullable Duration> renew(List<Renewal> renewals);

	/**
	 * Reduce the count of a hold. A count of zero frees the lock and wakes the first
	 * waiter.
	 * @param hold the hold
	 * @param holdCount the count that is left
	 * @return whether the hold was held until now
	 * @throws LockStoreException when the store cannot be asked
	 */
	boolean release(HoldId hold, int holdCount);

	/**
	 * Release a hold in favour of another owner of the same instance: in the same step,
	 * the lock is granted to that owner.
	 * @param hold the hold
	 * @param successor who gets the lock; must not have it already, so that its stale
	 * token does not matter
	 * @param yield whether a waiter in the queue goes first: if there is one, the lock is
	 * freed, the first in the queue is woken, and the successor gets its place at the end
	 * @return what became of the lock
	 * @throws LockStoreException when the store cannot be asked
	 */
	Transfer transfer(HoldId hold, Claim successor, boolean yield);

	/**
	 * Give up a place in the queue. When the lock is free, the next waiter is woken: the
	 * one that leaves may have been woken for it.
	 * @param key the key
	 * @param placeId the place
	 * @throws LockStoreException when the store cannot be asked
	 */
	void leave(String key, String placeId);

	/**
	 * Look up the token of an owner's present hold.
	 * @param key the key
	 * @param owner the owner
	 * @return the token, or empty when the owner does not hold the key
	 * @throws LockStoreException when the store cannot be asked
	 */
	OptionalLong findToken(String key, String owner);

	/**
	 * Ask the store for a sign of life.
	 * @throws LockStoreException when there is none
	 */
	void ping();

	/**
	 * Begin to listen for wake-ups, unless that has begun already. Returns at once; the
	 * listener is told to try all keys when wake-ups begin to arrive, and again after
	 * every break.
	 * @param listener whom to tell
	 */
	void listen(WakeUpListener listener);

	/**
	 * Stop to listen for wake-ups, and close what the store has opened for it.
	 */
	void stopListening();

	/**
	 * Return whether wake-ups arrive at present.
	 * @return the state of the subscription
	 */
	Subscription subscription();

	/**
	 * Names a hold.
	 *
	 * @param key the key that is held
	 * @param owner who holds it
	 * @param token the fencing token of the grant
	 */
	record HoldId(String key, String owner, long token) {

	}

	/**
	 * A hold to be renewed.
	 *
	 * @param hold the hold
	 * @param lease the least time that it lasts from now on
	 */
	record Renewal(HoldId hold, Duration lease) {

	}

	/**
	 * A place in a key's queue.
	 *
	 * @param id names the place; begins with the instance's id and a colon
	 * @param kept how long the place is kept without another attempt
	 */
	record QueuePlace(String id, Duration kept) {

	}

	/**
	 * An attempt to acquire.
	 *
	 * @param key the key
	 * @param owner who asks
	 * @param lease how long the grant is to last
	 * @param staleToken the greatest token of a hold that the owner knows to have ended,
	 * although the store may not know it yet; zero for none
	 * @param place the place in the queue to take, or to keep, when the lock is not free;
	 * {@code null} to not wait
	 */
	record Claim(String key, String owner, Duration lease, long staleToken, @Nullable QueuePlace place) {

	}

	/**
	 * Outcome of an attempt to acquire.
	 */
	sealed interface Outcome permits Granted, Denied {

	}

	/**
	 * The lock is the caller's.
	 *
	 * @param token the fencing token of the grant
	 */
	record Granted(long token) implements Outcome {

	}

	/**
	 * The lock is somebody else's.
	 *
	 * @param holder the owner's id, or {@code null} when it is not known
	 * @param remaining how long the lock lasts if it is not renewed; negative when there
	 * is no end to it
	 */
	record Denied(@Nullable String holder, Duration remaining) implements Outcome {

	}

	/**
	 * Outcome of a transfer.
	 */
	sealed interface Transfer permits Transferred, Yielded, NotHeld {

	}

	/**
	 * The lock is the successor's.
	 *
	 * @param token the fencing token of the grant
	 * @param othersWait whether there is somebody in the queue
	 */
	record Transferred(long token, boolean othersWait) implements Transfer {

	}

	/**
	 * The lock was freed for a waiter in the queue, where the successor now has its place
	 * as well.
	 */
	record Yielded() implements Transfer {

	}

	/**
	 * The hold was not held any more. The successor has nothing.
	 */
	record NotHeld() implements Transfer {

	}

	/**
	 * State of the subscription to wake-ups.
	 */
	enum Subscription {

		/**
		 * Nobody has waited yet.
		 */
		IDLE,

		/**
		 * Wake-ups arrive.
		 */
		ACTIVE,

		/**
		 * Wake-ups do not arrive; waiters find out by polling.
		 */
		BROKEN

	}

	/**
	 * Is told when a waiter may try again.
	 */
	interface WakeUpListener {

		/**
		 * A key may be free.
		 * @param key the key
		 */
		void wakeUp(String key);

		/**
		 * Any key may be free: wake-ups may have been missed.
		 */
		void wakeUpAll();

	}

}
