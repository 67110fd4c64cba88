package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A lock with the contract of {@link java.util.concurrent.locks}, and what distribution
 * adds to it: leases, fencing tokens, and questions to the store.
 *
 * <p>
 * A view has no state of its own. Views of the same kind (exclusive, fair, shared) on the
 * same keys of one registry are equal, and a thread may unlock by one what it has locked
 * by another. What a view says of the current thread also counts what the thread has
 * acquired in the same {@linkplain LockMode mode} otherwise, for example by a
 * {@link LockTemplate}.
 *
 * <p>
 * A <em>lease</em> that is given to a method is a hard limit: that acquisition is not
 * renewed. Nested acquisitions of a thread hold one lock, which lasts as long as any of
 * them needs: it is renewed while an acquisition without a lease of its own is not
 * unlocked, and no acquisition shortens what is left.
 *
 * @since 0.1.0
 * @see LockRegistry
 */
public interface LockView extends Lock {

	/**
	 * Return the keys that the view locks.
	 * @return the keys, without duplicates
	 */
	List<String> keys();

	/**
	 * Acquire the lock as {@link #lock()} does, for a limited time.
	 * @param lease the time after which the lock is lost unless it is unlocked before,
	 * from {@link LockRequest#SHORTEST_LEASE} to {@link LockRequest#LONGEST_LEASE}
	 * @throws IllegalArgumentException when the lease is shorter or longer than that
	 * @throws LockException as {@link #lock()}
	 */
	void lock(Duration lease);

	/**
	 * Acquire the lock if it becomes free in time, as {@link #tryLock(long, TimeUnit)}
	 * does, to which a negative time means one try, as in {@code java.util.concurrent}.
	 * @param waitFor the longest time to wait, as in
	 * {@link LockRequest#waitFor(Duration)}: zero for one try,
	 * {@link LockRequest#NO_LIMIT} for no limit
	 * @return whether the lock was acquired
	 * @throws InterruptedException when the thread is interrupted
	 * @throws IllegalArgumentException when the wait is another negative time
	 * @throws LockUnavailableException when the store does not answer
	 */
	boolean tryLock(Duration waitFor) throws InterruptedException;

	/**
	 * Acquire the lock for a limited time if it becomes free in time.
	 * @param waitFor the longest time to wait, as in {@link #tryLock(Duration)}
	 * @param lease the time after which the lock is lost unless it is unlocked before,
	 * from {@link LockRequest#SHORTEST_LEASE} to {@link LockRequest#LONGEST_LEASE}
	 * @return whether the lock was acquired
	 * @throws InterruptedException when the thread is interrupted
	 * @throws IllegalArgumentException when the lease is shorter or longer than that, or
	 * the wait is another negative time
	 * @throws LockUnavailableException when the store does not answer
	 */
	boolean tryLock(Duration waitFor, Duration lease) throws InterruptedException;

	/**
	 * Ask the store whether the lock of one of the keys is held, by any holder in any
	 * instance, and in any mode: a view of the read lock also sees the writer, and one of
	 * the write lock the readers. The answer may be outdated when it arrives.
	 *
	 * <p>
	 * A key that {@link LockRequest#minHold(Duration) minHold} keeps locked counts as
	 * held.
	 * @return whether the lock is held
	 * @throws LockUnavailableException when the store does not answer
	 */
	boolean isLocked();

	/**
	 * Return whether the current thread holds the lock of all keys in the view's mode.
	 * Answers from memory, and never returns {@code true} once the lease may have
	 * expired.
	 * @return whether the lock is held
	 */
	default boolean isHeldByCurrentThread() {
		return getHoldCount() > 0;
	}

	/**
	 * Return how many times the current thread holds the lock in the view's mode, as
	 * {@link LockHandle#holdCount()}. Of several keys, the smallest number counts.
	 * Answers from memory.
	 *
	 * <p>
	 * This can be more than how many times the view can be unlocked: a thread that has
	 * locked two keys by a view of each also holds them together, but must unlock them by
	 * those views.
	 * @return the count; {@code 0} when the thread does not hold the lock, or has lost it
	 */
	int getHoldCount();

	/**
	 * Return the time until the current thread's lease expires if it is not renewed. Of
	 * several keys, the shortest time counts. Answers from memory.
	 * @return the remaining time; zero when the thread does not hold the lock, or has
	 * lost it
	 */
	Duration remainingLease();

	/**
	 * Extend the lease of the current thread in the store to at least the given time from
	 * now. A longer lease is not shortened.
	 * @param lease the time, from {@link LockRequest#SHORTEST_LEASE} to
	 * {@link LockRequest#LONGEST_LEASE}
	 * @return {@code false} when the thread does not hold the lock, or has lost it
	 * @throws IllegalArgumentException when the lease is shorter or longer than that
	 * @throws LockUnavailableException when the store does not answer; the lock stays
	 * held for its remaining lease
	 */
	boolean extend(Duration lease);

	/**
	 * Return the fencing token of the lock that the current thread holds in the view's
	 * mode. Answers from memory.
	 * @return the token
	 * @throws IllegalMonitorStateException when the thread does not hold the lock, or has
	 * lost it
	 * @throws IllegalStateException when there are several keys, each of which has a
	 * token of its own: {@link LockHandle#fencingToken(String)} returns these
	 */
	long fencingToken();

	/**
	 * Return whether callers wait for the lock of one of the keys, in any mode: threads
	 * or asynchronous callers of this instance, otherwise those of all instances for
	 * which the store is asked. Callers that wait in another instance while that one
	 * holds the lock itself are known only there.
	 * @return whether any caller waits
	 * @throws LockUnavailableException when the store does not answer
	 */
	boolean hasQueuedThreads();

}
