package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Where locks are kept: the remote half of a lock.
 *
 * <p>
 * Every operation is idempotent, so that it can be repeated after a lost reply: counts
 * are absolute, a hold is named by its owner <em>and</em> its fencing token, and a grant
 * by the claim that it answers. So an operation on one of them never affects a later one
 * of the same owner. An operation that fails with a {@link LockStoreException} may or may
 * not have been carried out, and may even be carried out later.
 *
 * @since 0.1.0
 */
public interface LockStore {

	/**
	 * Name under which Spring has a transaction as a resource while the holds of its
	 * thread are checked before the commit.
	 */
	String COMMITTING = LockStore.class.getName() + ".committing";

	/**
	 * Try to get the locks of all keys of a claim, or none. A claim that was already
	 * granted gets the same grant again. One that was {@linkplain #withdraw withdrawn} is
	 * denied.
	 */
	Outcome acquire(Claim claim);

	/**
	 * Extend holds to at least their leases from now, and change their counts. If the
	 * store does not answer for some of them, the others are renewed all the same.
	 * @param renewals the holds: all get a count, or none does
	 * @return what became of each, in the same order
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals);

	/**
	 * See to it that holds last until the {@linkplain #COMMITTING transaction that is
	 * about to commit} has ended, if it is on the database that has the locks.
	 * @param renewals the holds
	 * @return what became of each, or an empty list if there is no such transaction
	 */
	default List<RenewalOutcome> pin(List<Renewal> renewals) {
		return List.of();
	}

	/**
	 * Free the locks of a hold, and wake the first waiters.
	 * @return whether all of the hold was held until now
	 */
	boolean release(HoldId hold);

	/**
	 * End a hold without freeing its locks: they stay locked for a time, under a name
	 * that no caller has. A shared lock can be shared meanwhile. The first waiter is
	 * woken to learn the time.
	 * @return whether all of the hold was held until now, or was ended like this before
	 */
	boolean keep(HoldId hold, Duration rest);

	/**
	 * {@linkplain #keep Keep} what is left of a hold for the rest of a time, or release
	 * it if that is over. Repeated until it is answered, so an interrupt may end an
	 * attempt.
	 */
	default void end(HoldId hold, Duration rest) {
		if (rest.compareTo(Duration.ZERO) > 0) {
			keep(hold, rest);
		}
		else {
			release(hold);
		}
	}

	/**
	 * Turn an exclusive hold into a shared one, whose lease stays as it is.
	 * @param hold the hold
	 * @param holdCount the count that is left
	 * @param passedTo who holds it in place of its owner, or {@code null}
	 * @return whether all of the hold is held
	 */
	boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo);

	/**
	 * Hand an exclusive hold of one key over to another owner under the same claim, with
	 * a new token.
	 * @param hold the hold
	 * @param successor the claim of the owner that gets the lock, with a place
	 * @param yield whether a waiter in the queue goes first, as a fair one always does:
	 * then the lock is freed, the first waiter is woken, and the claim gets its place at
	 * the end
	 * @return what became of the lock
	 */
	Transfer transfer(HoldId hold, Claim successor, boolean yield);

	/**
	 * Withdraw a claim: remove its places in queues, and release what it was granted.
	 * Where a lock is free, the next waiter is woken, since this one may have been woken
	 * for it.
	 * @param claim the claim
	 * @param refused how long to deny late requests of the claim; zero when there can be
	 * none
	 */
	void withdraw(Claim claim, Duration refused);

	/**
	 * Find out whether locks can be acquired: try what locks do, and leave nothing
	 * behind.
	 */
	Check check();

	/**
	 * Return a name for the server that has the keys, as far as that is known: always the
	 * same when there is only one, and a separate one for keys on several servers. Sends
	 * no request.
	 */
	default String serverOf(List<String> keys) {
		return "";
	}

	/**
	 * Return the name of the class that may choose a server by what the calling thread
	 * carries, or {@code null} if it does not matter which thread asks.
	 */
	default @Nullable String chooser() {
		return null;
	}

	/**
	 * Return whether the number of holders that share a lock can be limited.
	 */
	default boolean hasPermits() {
		return true;
	}

	/**
	 * Return after what time the first waiter asks again where no wake-ups arrive from
	 * other instances, or {@code null} where they do.
	 */
	default @Nullable Duration pollInterval() {
		return null;
	}

	StoreView view();

	/**
	 * Start listening for wake-ups, if not yet started. Returns at once. The listener is
	 * told to try all keys when wake-ups begin to arrive, and again after each
	 * interruption.
	 * @param instanceId whose messages these are
	 * @param listener what to notify
	 */
	void listen(String instanceId, WakeUpListener listener);

	/**
	 * Stop listening for wake-ups, and close what the store has opened for it.
	 */
	void stopListening();

	Subscription subscription();

	record Grant(String key, long token) {
	}

	/**
	 * Identity of a hold of one or more keys.
	 *
	 * @param holder the holder's name in the store: the owner's id, followed by the
	 * number of the claim when the hold is shared
	 * @param grants the keys, each with its token
	 */
	record HoldId(String holder, List<Grant> grants) {

		private static final char NUMBER = '#';

		public HoldId(String key, String holder, long token) {
			this(holder, List.of(new Grant(key, token)));
		}

		public String owner() {
			return StoreView.Holder.ownerOf(this.holder);
		}

		public List<String> keys() {
			return this.grants.stream().map(Grant::key).toList();
		}

		public HoldId on(List<Grant> grants) {
			return new HoldId(this.holder, List.copyOf(grants));
		}

	}

	/**
	 * A hold to be renewed.
	 *
	 * @param hold the hold
	 * @param lease the least time that it lasts from now on
	 * @param holdCount the count that it gets, or {@code null} to leave it
	 * @param passedTo who holds it in place of its owner, or {@code null}
	 */
	record Renewal(HoldId hold, Duration lease, @Nullable Integer holdCount, @Nullable String passedTo) {

		public Renewal(HoldId hold, Duration lease) {
			this(hold, lease, null, null);
		}

		public Renewal on(List<Grant> grants) {
			return new Renewal(this.hold.on(grants), this.lease, this.holdCount, this.passedTo);
		}

	}

	/**
	 * A place in the queues of keys.
	 *
	 * @param id the place's name, a {@link PlaceName}; begins with the instance's id and
	 * a colon
	 * @param kept how long the place is kept without another attempt if it is the first;
	 * as long again for each place in front of it, up to {@link #LAST_COUNTED_POSITION}
	 */
	record QueuePlace(String id, Duration kept) {

		/**
		 * Places behind this one are treated as if they had this position.
		 */
		public static final int LAST_COUNTED_POSITION = 10;

	}

	/**
	 * An attempt to acquire.
	 *
	 * @param keys the keys: at least one, without duplicates
	 * @param owner the requesting owner's id
	 * @param number the claim's number, unique in its instance
	 * @param mode exclusive or shared
	 * @param permits how many holders there may be with it; 0 for any number that share
	 * @param fair whether to get the lock in order of arrival; for one key
	 * @param lease how long the grant is to last
	 * @param place the place to take or keep in the queues of locks that are not free, or
	 * {@code null} to not wait
	 */
	record Claim(List<String> keys, String owner, long number, LockMode mode, int permits, boolean fair, Duration lease,
			@Nullable QueuePlace place) {

		public Claim(List<String> keys, String owner, long number, LockMode mode, boolean fair, Duration lease,
				@Nullable QueuePlace place) {
			this(keys, owner, number, mode, 0, fair, lease, place);
		}

		public Claim on(List<String> keys) {
			return new Claim(keys, this.owner, this.number, this.mode, this.permits, this.fair, this.lease, this.place);
		}

		public Claim at(@Nullable QueuePlace place) {
			return new Claim(this.keys, this.owner, this.number, this.mode, this.permits, this.fair, this.lease, place);
		}

		public Claim as(long number) {
			return new Claim(this.keys, this.owner, number, this.mode, this.permits, this.fair, this.lease, this.place);
		}

		/**
		 * Return the claim's name, the same for all callers that use it.
		 */
		public String name() {
			return this.owner.substring(0, this.owner.indexOf(':') + 1) + HoldId.NUMBER + this.number;
		}

		/**
		 * Return the holder's name in the store once the claim is granted. An exclusive
		 * lock has one holder, and stores the claim separately.
		 */
		public String holder() {
			return (this.mode == LockMode.SHARED) ? this.owner + HoldId.NUMBER + this.number : this.owner;
		}

		public HoldId granted(List<Grant> grants) {
			return new HoldId(holder(), grants);
		}

	}

	sealed interface Answer permits Outcome, Transfer {

	}

	sealed interface Outcome extends Answer permits Granted, Denied, Incomplete {

	}

	/**
	 * The claim has the locks.
	 *
	 * @param hold what was granted, the keys in the order of the claim; its owner may be
	 * an earlier caller with the same claim
	 * @param lastToken the last of the tokens reserved for this instance, for the callers
	 * to which it passes the lock on
	 * @param othersWait whether there is a waiter in the queue
	 */
	record Granted(HoldId hold, long lastToken, boolean othersWait) implements Outcome, Transfer {

		/**
		 * Create the outcome for locks that may not be passed on before the store is
		 * asked again.
		 */
		public Granted(HoldId hold) {
			this(hold, hold.grants().get(0).token(), false);
		}

		public List<Grant> grants() {
			return this.hold.grants();
		}

	}

	/**
	 * Another owner holds one of the locks, or is before the claim in a queue.
	 *
	 * @param holder the owner's id, followed by {@code :kept} when the lock is kept
	 * without an owner, or {@code null} if unknown
	 * @param remaining time until that owner's lease or place expires unless renewed;
	 * negative if it never does
	 * @param position the position of the claim's place in the queue, counted from 1 up
	 * to {@link QueuePlace#LAST_COUNTED_POSITION}; 1 without a place
	 * @param permitsTaken how many permits are taken if that is why it was denied, or 0
	 */
	record Denied(@Nullable String holder, Duration remaining, int position, int permitsTaken) implements Outcome {

		public Denied(@Nullable String holder, Duration remaining) {
			this(holder, remaining, 1, 0);
		}

		public Denied at(int position) {
			return new Denied(this.holder, this.remaining, position, this.permitsTaken);
		}

	}

	/**
	 * Only a part was granted. It must be released, and must not be taken for the grant
	 * of a later attempt.
	 *
	 * @param granted the part that was granted
	 * @param denied why the rest was denied, or {@code null} if it failed
	 * @param failure why the rest failed, or {@code null} if it was denied
	 */
	record Incomplete(HoldId granted, @Nullable Denied denied,
			@Nullable LockStoreException failure) implements Outcome {
	}

	sealed interface RenewalOutcome permits Renewed, Gone, NotAnswered {

		/**
		 * Combine the outcomes of two parts of a hold: it is gone when one of them is,
		 * and lasts as long as the shorter one.
		 */
		default RenewalOutcome and(RenewalOutcome other) {
			if (this instanceof Renewed one && other instanceof Renewed another) {
				return (another.lasts().compareTo(one.lasts()) < 0) ? another : one;
			}
			return (this instanceof Renewed || other instanceof Gone) ? other : this;
		}

	}

	record Renewed(Duration lasts) implements RenewalOutcome {
	}

	/**
	 * The hold is not held any more, or not all of it.
	 */
	record Gone() implements RenewalOutcome {
	}

	record NotAnswered(LockStoreException failure) implements RenewalOutcome {
	}

	sealed interface Transfer extends Answer permits Granted, Yielded, Freed, NotHeld {

	}

	/**
	 * The lock was freed for a waiter; the successor has a place in the queue.
	 */
	record Yielded() implements Transfer {
	}

	/**
	 * The lock was freed without a hand-over: the successor must acquire it itself.
	 */
	record Freed() implements Transfer {
	}

	/**
	 * The hold was not held any more, so the successor got nothing.
	 */
	record NotHeld() implements Transfer {
	}

	/**
	 * Outcome of a check.
	 *
	 * @param nodes the servers that decide together; empty when there is only one server
	 * or Cluster
	 * @param failure why locks cannot be acquired, or {@code null} when they can
	 */
	record Check(List<NodeStatus> nodes, @Nullable LockStoreException failure) {

		public static final Check PASSED = new Check(List.of(), null);

	}

	/**
	 * One of several servers.
	 *
	 * @param name its name, without a password
	 * @param failure why it grants no locks, or {@code null} if it does
	 */
	record NodeStatus(String name, @Nullable LockStoreException failure) {
	}

	enum Subscription {

		/**
		 * No caller has asked for a lock yet.
		 */
		IDLE,

		ACTIVE,

		/**
		 * Waiters find out by polling.
		 */
		BROKEN

	}

	/**
	 * Is told when waiters may try again, and what others do with locks.
	 */
	interface WakeUpListener {

		void wakeUp(String key, String placeId);

		/**
		 * A queued waiter wants a key whose grant this instance passes on.
		 * @param key the key
		 * @param next whether the waiter must be next
		 */
		void wanted(String key, boolean next);

		/**
		 * Any key may be free: wake-ups may have been missed.
		 */
		void wakeUpAll();

		/**
		 * An operator has released a hold of one key by force.
		 */
		void forceReleased(HoldId hold);

	}

}
