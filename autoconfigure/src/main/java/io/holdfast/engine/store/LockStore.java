package io.holdfast.engine.store;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Where the truth about locks is kept: the remote half of a lock.
 *
 * <p>
 * Every operation can be repeated after a lost reply without changing what it has led to
 * (although a release that is repeated finds nothing held any more): counts are absolute,
 * a hold is named by its owner <em>and</em> the fencing token it was granted, and a grant
 * by the claim that it answers. So an operation meant for one of them never touches a
 * later one of the same owner. An operation that fails with a {@link LockStoreException}
 * may or may not have been carried out, and may even be carried out later.
 *
 * @since 0.1.0
 */
public interface LockStore {

	/**
	 * Try to get the locks of keys, all or none of them. A claim that was granted already
	 * is told what, so that a repeated one changes nothing. One that was
	 * {@linkplain #withdraw withdrawn} is denied.
	 * @param claim what is wanted, and by whom
	 * @return the grant, or who stands in the way, or what is to be given back
	 * @throws LockStoreException when the store cannot be asked
	 */
	Outcome acquire(Claim claim);

	/**
	 * Change the count of a hold that is held already, and make it last at least so long.
	 * @param hold the hold
	 * @param holdCount the count it gets
	 * @param lease the least time that it lasts from now on
	 * @return what became of it
	 * @throws LockStoreException when the store cannot be asked, unless it returns that
	 */
	RenewalOutcome reenter(HoldId hold, int holdCount, Duration lease);

	/**
	 * Make holds last at least so long from now on. Those that cannot be asked for do not
	 * keep the others from it.
	 * @param renewals the holds
	 * @return what became of each, in the same order
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals);

	/**
	 * Reduce the count of a hold. A count of zero frees its locks and wakes the first
	 * waiters.
	 * @param hold the hold
	 * @param holdCount the count that is left
	 * @return whether the hold was held until now, all of it
	 * @throws LockStoreException when the store cannot be asked
	 */
	boolean release(HoldId hold, int holdCount);

	/**
	 * End a hold without freeing its locks: for the rest of a time they are taken by a
	 * name that no caller has, and expire after that. A shared lock can be shared
	 * meanwhile. The first waiter is woken, to learn how long that is.
	 * @param hold the hold
	 * @param rest for how long the locks stay taken from now on
	 * @return whether the hold was held until now, all of it, or has been ended like this
	 * before
	 * @throws LockStoreException when the store cannot be asked
	 */
	boolean keep(HoldId hold, Duration rest);

	/**
	 * Let others share what was held exclusively until now. The lease stays as it is.
	 * @param hold the hold
	 * @param holdCount the count that is left
	 * @param passedTo who holds it in place of its owner, or {@code null}: for people
	 * @return whether the hold is held, all of it
	 * @throws LockStoreException when the store cannot be asked
	 */
	boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo);

	/**
	 * Hand an exclusive hold of one key on to another owner under the same claim: it gets
	 * a token of its own.
	 * @param hold the hold
	 * @param successor the claim, for the owner that gets the lock: one without a place
	 * lets whoever waits go first, and is not queued
	 * @param yield whether a waiter in the queue goes first, as a fair one always does:
	 * if there is one, the lock is freed, the first in the queue is woken, and the claim
	 * gets its place at the end
	 * @return what became of the lock
	 * @throws LockStoreException when the store cannot be asked
	 */
	Transfer transfer(HoldId hold, Claim successor, boolean yield);

	/**
	 * Give a claim up: take away its places in queues, and what it was granted. Where a
	 * lock is free, the next waiter is woken: the one that leaves may have been woken for
	 * it.
	 * @param claim the claim
	 * @param refused for how long requests of the claim are denied that are carried out
	 * late; zero when none can be
	 * @throws LockStoreException when the store cannot be asked
	 */
	void withdraw(Claim claim, Duration refused);

	/**
	 * Ask the store for a sign of life.
	 * @throws LockStoreException when there is none
	 */
	void ping();

	/**
	 * Ask each of the servers that decide together for a sign of life.
	 * @return how each is doing; none when there is but one place to ask
	 */
	default List<NodeStatus> nodes() {
		return List.of();
	}

	/**
	 * Return which server is asked about keys, as far as that is known. Does not ask it,
	 * and does not wait.
	 * @param keys the keys
	 * @return a name for the server; always the same where there is but one to wait for,
	 * and one of its own when several are asked one after the other
	 */
	default String serverOf(List<String> keys) {
		return "";
	}

	/**
	 * Return whether a lock can stay with an instance that does not use it: whether it
	 * can be {@linkplain #transfer handed on}, and others who want it be told from.
	 * @return whether it can
	 */
	default boolean canRetain() {
		return false;
	}

	/**
	 * Return what operators see.
	 * @return the view
	 */
	StoreView view();

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
	 * A key that is granted.
	 *
	 * @param key the key
	 * @param token the fencing token of the grant
	 */
	record Grant(String key, long token) {
	}

	/**
	 * Names a hold of one or more keys.
	 *
	 * @param holder what the store calls who holds them: the owner's id, with the number
	 * of the claim behind it when they are shared
	 * @param grants the keys, each with its token
	 */
	record HoldId(String holder, List<Grant> grants) {

		private static final char NUMBER = '#';

		/**
		 * Name a hold of one key.
		 * @param key the key
		 * @param holder what the store calls who holds it
		 * @param token the fencing token of the grant
		 */
		public HoldId(String key, String holder, long token) {
			this(holder, List.of(new Grant(key, token)));
		}

		/**
		 * Return who holds them.
		 * @return the owner's id
		 */
		public String owner() {
			return StoreView.Holder.ownerOf(this.holder);
		}

		/**
		 * Return the keys that are held.
		 * @return the keys
		 */
		public List<String> keys() {
			return this.grants.stream().map(Grant::key).toList();
		}

		/**
		 * Return what of the hold is on some of its keys.
		 * @param grants the keys, each with its token
		 * @return a part of the hold
		 */
		public HoldId on(List<Grant> grants) {
			return new HoldId(this.holder, List.copyOf(grants));
		}

	}

	/**
	 * A hold to be renewed.
	 *
	 * @param hold the hold
	 * @param lease the least time that it lasts from now on
	 * @param passedTo who holds it in place of its owner, which has passed it on, or
	 * {@code null}: for people
	 * @param again whether one of the seven before it was for that lease and complete
	 */
	record Renewal(HoldId hold, Duration lease, @Nullable String passedTo, boolean again) {

		/**
		 * Create a renewal of a hold that its owner has.
		 * @param hold the hold
		 * @param lease the least time that it lasts from now on
		 */
		public Renewal(HoldId hold, Duration lease) {
			this(hold, lease, null, false);
		}

		/**
		 * Return the same for a part of the hold.
		 * @param grants the part
		 * @return the renewal of that part
		 */
		public Renewal on(List<Grant> grants) {
			return new Renewal(this.hold.on(grants), this.lease, this.passedTo, this.again);
		}

	}

	/**
	 * A place in the queues of keys.
	 *
	 * @param id names the place, as a {@link PlaceName} does; begins with the instance's
	 * id and a colon
	 * @param kept how long the place is kept without another attempt
	 * @param behindRetained whether to take it only where nothing but retained locks is
	 * in the way
	 */
	record QueuePlace(String id, Duration kept, boolean behindRetained) {

	}

	/**
	 * An attempt to acquire.
	 *
	 * @param keys the keys, of which there is at least one, none twice
	 * @param owner who asks
	 * @param number tells the claims of an instance apart
	 * @param mode whether to share the locks
	 * @param fair whether to let those go first who came first, and to not be overtaken
	 * @param nested whether the owner holds other locks already: it then goes past those
	 * that wait for several keys in order of arrival, who may wait for one of these locks
	 * @param lease how long the grant is to last
	 * @param place the place to take, or to keep, in the queues of locks that are not
	 * free; {@code null} to not wait
	 */
	record Claim(List<String> keys, String owner, long number, LockMode mode, boolean fair, boolean nested,
			Duration lease, @Nullable QueuePlace place) {

		/**
		 * Return the same claim on some of its keys.
		 * @param keys the keys
		 * @return the claim
		 */
		public Claim on(List<String> keys) {
			return new Claim(keys, this.owner, this.number, this.mode, this.fair, this.nested, this.lease, this.place);
		}

		/**
		 * Return the same claim with another place.
		 * @param place the place, or {@code null} for none
		 * @return the claim
		 */
		public Claim at(@Nullable QueuePlace place) {
			return new Claim(this.keys, this.owner, this.number, this.mode, this.fair, this.nested, this.lease, place);
		}

		/**
		 * Return the same claim under another name.
		 * @param number what tells it apart
		 * @return the claim
		 */
		public Claim as(long number) {
			return new Claim(this.keys, this.owner, number, this.mode, this.fair, this.nested, this.lease, this.place);
		}

		/**
		 * Return what names the claim, whichever caller asks under it.
		 * @return the instance's id, a colon, and the number
		 */
		public String name() {
			return this.owner.substring(0, this.owner.indexOf(':') + 1) + HoldId.NUMBER + this.number;
		}

		/**
		 * Return what the store calls the caller that is granted it. An exclusive lock
		 * has one holder, and names the claim beside it.
		 * @return the owner's id, with the number of the claim behind it to share
		 */
		public String holder() {
			return (this.mode == LockMode.SHARED) ? this.owner + HoldId.NUMBER + this.number : this.owner;
		}

		/**
		 * Return the hold that a grant makes.
		 * @param grants what is granted
		 * @return the hold
		 */
		public HoldId granted(List<Grant> grants) {
			return new HoldId(holder(), grants);
		}

	}

	/**
	 * Outcome of an attempt to acquire.
	 */
	sealed interface Outcome permits Granted, Denied, Incomplete {

	}

	/**
	 * The claim has the locks.
	 *
	 * @param hold what was granted, the keys in the order of the claim; it may be to an
	 * owner who has asked under the same claim before
	 */
	record Granted(HoldId hold) implements Outcome {

		/**
		 * Return what was granted.
		 * @return the keys, each with its token
		 */
		public List<Grant> grants() {
			return this.hold.grants();
		}

	}

	/**
	 * Another owner has a lock, or goes first.
	 *
	 * @param holder the owner's id, with {@code :kept} behind it when the lock is kept
	 * and has no owner any more, or {@code null} when it is not known
	 * @param remaining how long it is in the way unless it shows that it lives; negative
	 * when there is no end to it
	 */
	record Denied(@Nullable String holder, Duration remaining) implements Outcome {

		/**
		 * Return whether an instance that does not use the lock is in the way, which was
		 * told to give it back.
		 * @return whether the lock is retained
		 */
		public boolean isRetained() {
			return StoreView.isRetained(this.holder);
		}

	}

	/**
	 * Something has been granted that is not enough. It has to be given back, and not to
	 * be taken for the grant of a later attempt.
	 *
	 * @param granted what has been granted
	 * @param denied what stands in the way of the rest, or {@code null} if it failed
	 * @param failure why the rest failed, or {@code null} if it was denied
	 */
	record Incomplete(HoldId granted, @Nullable Denied denied,
			@Nullable LockStoreException failure) implements Outcome {

	}

	/**
	 * Outcome of a renewal.
	 */
	sealed interface RenewalOutcome permits Renewed, Gone, NotAnswered {

		/**
		 * Return what became of a hold when this is what became of one part of it: it is
		 * gone when a part is, and lasts as long as each of them.
		 * @param other what became of another part
		 * @return what became of both together
		 */
		default RenewalOutcome and(RenewalOutcome other) {
			if (this instanceof Renewed one && other instanceof Renewed another) {
				return (another.lasts().compareTo(one.lasts()) < 0) ? another : one;
			}
			return (this instanceof Renewed || other instanceof Gone) ? other : this;
		}

	}

	/**
	 * The hold is held.
	 *
	 * @param lasts how long it lasts
	 */
	record Renewed(Duration lasts) implements RenewalOutcome {

	}

	/**
	 * The hold is not held any more, or not all of it.
	 */
	record Gone() implements RenewalOutcome {

	}

	/**
	 * The store could not be asked for the hold.
	 *
	 * @param failure why
	 */
	record NotAnswered(LockStoreException failure) implements RenewalOutcome {

	}

	/**
	 * Outcome of a transfer.
	 */
	sealed interface Transfer permits Transferred, Yielded, Freed, NotHeld {

	}

	/**
	 * The lock is the successor's.
	 *
	 * @param token the fencing token of the grant
	 * @param lastToken the greatest of the tokens from that one on that no other gets:
	 * for others of the same instance, to whom the lock is passed on
	 * @param othersWait whether there is a waiter in the queue
	 */
	record Transferred(long token, long lastToken, boolean othersWait) implements Transfer {

	}

	/**
	 * The lock was freed for a waiter in the queue, where the successor now has its place
	 * as well.
	 */
	record Yielded() implements Transfer {

	}

	/**
	 * The lock was freed without being handed on: the successor asks for itself.
	 */
	record Freed() implements Transfer {
	}

	/**
	 * The hold was not held any more. The successor has nothing.
	 */
	record NotHeld() implements Transfer {

	}

	/**
	 * How one of several servers is doing.
	 *
	 * @param name names the server; has no password in it
	 * @param failure why it cannot be asked, or {@code null} when it has answered
	 */
	record NodeStatus(String name, @Nullable LockStoreException failure) {

	}

	/**
	 * State of the subscription to wake-ups.
	 */
	enum Subscription {

		/**
		 * No caller has waited yet.
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
		 * A waiter may try a key now.
		 * @param key the key
		 * @param placeId the waiter's place in its queue
		 */
		void wakeUp(String key, String placeId);

		/**
		 * Another one waits for a key of which a grant is passed on within this instance.
		 * @param key the key
		 * @param fair whether it goes next
		 */
		void wanted(String key, boolean fair);

		/**
		 * Any key may be free: wake-ups may have been missed.
		 */
		void wakeUpAll();

		/**
		 * An operator has released a lock by force.
		 * @param hold the hold, of one key
		 */
		void forceReleased(HoldId hold);

	}

}
