package io.holdfast.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, which are as one: the waits for all of them begin with the call,
 * and the loss of one is the loss of all.
 */
final class CallLocks {

	private final List<LockHandle> held = new CopyOnWriteArrayList<>();

	private final LockRuntime runtime;

	private final CallTime time;

	private volatile @Nullable Refusal refusal;

	private volatile boolean begun;

	private boolean abandoned;

	/**
	 * Begin with the call.
	 */
	CallLocks(LockRuntime runtime) {
		this.runtime = runtime;
		this.time = new CallTime(runtime.defaults());
	}

	/**
	 * Return what to ask for: what is waited for after others has less time.
	 */
	LockRequest request(PlannedLock lock) {
		return this.held.isEmpty() ? lock.request() : this.time.shortened(lock.request());
	}

	int count() {
		return this.held.size();
	}

	void acquired(LockHandle lock) {
		this.held.add(lock);
	}

	/**
	 * Note that the call begins, now that all of its locks are held. From now on the loss
	 * of one releases the others.
	 * @throws io.holdfast.LockLostException when one was lost while the others were
	 * waited for
	 * @throws CancellationException when the caller has given up
	 */
	void begin() {
		if (this.held.size() > 1) {
			this.held.forEach(LockHandle::ensureHeld);
			this.held.forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
		}
		decide();
	}

	private synchronized void decide() {
		if (this.abandoned) {
			throw new CancellationException();
		}
		this.begun = true;
	}

	/**
	 * The caller does not wait for the result any more: the call does not begin, unless
	 * it has.
	 * @return whether it has not
	 */
	synchronized boolean abandon() {
		this.abandoned = !this.begun;
		return this.abandoned;
	}

	private synchronized boolean isAbandoned() {
		return this.abandoned;
	}

	/**
	 * Give up a lock that was acquired in vain, if so.
	 */
	void giveBackUnlessBegun(LockHandle lock) {
		if (!this.begun) {
			lock.giveBack();
		}
	}

	/**
	 * Note that a lock that is about to be released was acquired in vain, if so. Does not
	 * wait for Redis.
	 */
	void noteUnusedUnlessBegun(LockHandle lock) {
		if (!this.begun) {
			this.runtime.noteUnused().accept(lock);
		}
	}

	/**
	 * Whoever tells losses must not wait for Redis: there may be others to tell.
	 */
	private void releaseAllBut(LockHandle lost) {
		this.held.stream().filter((lock) -> lock != lost).forEach(this.runtime.releaseAside());
	}

	/**
	 * Note that a lock of the call was not acquired.
	 * @return what to tell the caller
	 */
	LockNotAcquiredException refused(PlannedLock lock, LockNotAcquiredException failure) {
		LockNotAcquiredException told = this.held.isEmpty() ? failure : this.time.sinceTheStart(failure);
		this.refusal = new Refusal(told, lock.reaction());
		return told;
	}

	/**
	 * Return what to run instead of the call, when it has ended because one of its own
	 * locks was not acquired, and all others have been released.
	 * @return the reaction, or {@code null} when none of its locks was refused (the body
	 * may have been refused a lock of its own), or nobody waits for the result any more
	 */
	@Nullable Body instead(LockCall call) {
		Refusal noted = this.refusal;
		return (noted != null && !isAbandoned()) ? () -> noted.reaction().instead(call, noted.failure()) : null;
	}

	private record Refusal(LockNotAcquiredException failure, FailureReaction reaction) {

	}

}
