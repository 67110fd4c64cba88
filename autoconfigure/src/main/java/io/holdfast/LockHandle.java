package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One acquisition of a lock, to be released once. A nested acquisition of the same lock
 * by the same thread has a handle of its own.
 *
 * <p>
 * A handle may be passed to another thread and released there; ownership stays with the
 * thread that acquired it. Only the handle itself owns what was acquired
 * {@linkplain LockTemplate#acquireAsync asynchronously} or
 * {@linkplain LockRequest#ownedByHandle() for the handle}.
 *
 * <p>
 * What a {@link LockTemplate} hands out in a transaction stays locked until that has
 * completed, also after its release.
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
	 * Return how many nested holds the owner has now.
	 * @return the count; {@code 0} once the lock is released or lost
	 */
	int holdCount();

	/**
	 * Return the fencing token of the only key. Tokens of a key only grow: a resource
	 * that checks them can refuse a writer whose lock has gone to another since.
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
	 * run out. Answers from memory, and is never {@code true} once the lease may have run
	 * out, whatever Redis might say.
	 * @return whether the lock is held
	 */
	boolean isHeld();

	/**
	 * Return how long the lease lasts if it is not renewed.
	 * @return the remaining time; zero once the lock is released or lost
	 */
	Duration remainingLease();

	/**
	 * Throw an exception unless {@link #isHeld()}.
	 * @throws LockLostException when the lock is not held any more
	 */
	void ensureHeld();

	/**
	 * Ask Redis for at least so much time from now on. A lease that lasts longer already
	 * stays as it is.
	 * @param lease the time
	 * @return {@code false} when the lock is not held any more
	 * @throws LockUnavailableException when Redis cannot be asked; the lock stays held
	 * for its remaining lease
	 */
	boolean extend(Duration lease);

	/**
	 * Register a listener for the loss of the lock. It is called once, on a thread of its
	 * own; on this thread and at once when the lock is lost already. After a release that
	 * has not found a loss, it is not called any more.
	 * @param listener the listener
	 */
	void onLost(Consumer<LockHandle> listener);

	/**
	 * Give up this acquisition. A second call does nothing and returns the first one's
	 * result. Keys that were acquired together stay locked together: if a nested
	 * acquisition of one of them is released later than the one of them all, so are all.
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
	 * {@link #release() Release} a lock under which nothing has been done: its keys are
	 * not kept, whatever {@link LockRequest#minHold()} says, and it does not wait for the
	 * end of a transaction. Does nothing when the handle has been released before.
	 * @return what the release found and did
	 */
	default ReleaseResult giveBack() {
		return release();
	}

	/**
	 * {@link #release() Release}, whatever the result. Never throws because of Redis.
	 */
	@Override
	default void close() {
		release();
	}

}
