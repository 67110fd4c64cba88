package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One acquisition of a lock, which is released once. A nested acquisition of the same
 * lock by the same thread has a handle of its own.
 *
 * <p>
 * A handle may be passed to another thread and released there; the thread that acquired
 * the lock remains its owner. Only locks acquired {@linkplain LockTemplate#acquireAsync
 * asynchronously} or {@linkplain LockRequest#ownedByHandle() for the handle} are owned by
 * the handle itself.
 *
 * <p>
 * A lock that a {@link LockTemplate} acquires in a transaction stays locked until the
 * transaction has completed, even if it is released earlier.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the keys that are locked.
	 * @return the keys, with the lock's name in front when it has one
	 */
	List<String> keys();

	/**
	 * Return whether the lock is exclusive or shared.
	 * @return the mode
	 */
	LockMode mode();

	/**
	 * Return how many times the owner holds the lock in this mode now, nested holds
	 * included.
	 * @return the count; {@code 0} once the lock is released or lost
	 */
	int holdCount();

	/**
	 * Return the fencing token of the only key. Tokens of a key only grow: a resource
	 * that checks them can refuse a writer that has lost its lock to a later holder.
	 * @return the token
	 * @throws IllegalStateException when there are several keys
	 */
	long fencingToken();

	/**
	 * Return the fencing token of one of the keys.
	 * @param key one of {@link #keys()}
	 * @return the token
	 * @throws IllegalArgumentException when the handle does not hold that key
	 */
	long fencingToken(String key);

	/**
	 * Return whether the lock is held: it is not known to be lost, and its lease has not
	 * expired. Answers from memory, and never returns {@code true} once the lease may
	 * have expired.
	 * @return whether the lock is held
	 */
	boolean isHeld();

	/**
	 * Return the time until the lease expires if it is not renewed.
	 * @return the remaining time; zero once the lock is released or lost
	 */
	Duration remainingLease();

	/**
	 * Throw an exception unless {@link #isHeld()}.
	 * @throws LockLostException when the lock is not held any more
	 */
	void ensureHeld();

	/**
	 * Extend the lease in the store to at least the given time from now. A longer lease
	 * is not shortened.
	 * @param lease the time, from {@link LockRequest#SHORTEST_LEASE} to
	 * {@link LockRequest#LONGEST_LEASE}
	 * @return {@code false} when the lock is not held any more
	 * @throws IllegalArgumentException when the lease is shorter or longer than that
	 * @throws LockUnavailableException when the store does not answer; the lock stays
	 * held for its remaining lease
	 */
	boolean extend(Duration lease);

	/**
	 * Register a listener for the loss of the lock. It is called once, on another thread;
	 * if the lock is already lost, at once on this thread. It is not called after a
	 * release that found no loss.
	 * @param listener the listener
	 */
	void onLost(Consumer<LockHandle> listener);

	/**
	 * Release this acquisition. A second call does nothing and returns the result of the
	 * first. Keys that were acquired together stay locked together: if a nested
	 * acquisition of one of them is released later, all of them are released then.
	 * @return what the release found and did
	 */
	ReleaseResult release();

	/**
	 * {@link #release() Release} without blocking the calling thread.
	 * @return completes with the result, on a thread that may be blocked
	 */
	default CompletableFuture<ReleaseResult> releaseAsync() {
		return CompletableFuture.supplyAsync(this::release);
	}

	/**
	 * {@link #release() Release} a lock that was not used: its keys are not kept for
	 * {@link LockRequest#minHold()}, and the release does not wait for the end of a
	 * transaction. Does nothing if the handle is already released.
	 * @return what the release found and did
	 */
	default ReleaseResult giveBack() {
		return release();
	}

	/**
	 * Note that this handle is released only when a transaction has completed, so that
	 * messages about the holder can say so. The default implementation does nothing.
	 */
	default void noteTransaction() {
	}

	/**
	 * {@link #release() Release}, whatever the result. Never throws because of the store.
	 */
	@Override
	default void close() {
		release();
	}

}
