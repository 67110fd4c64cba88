package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
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

	private final long start = System.nanoTime();

	private final List<LockHandle> held = new CopyOnWriteArrayList<>();

	private final LockRuntime runtime;

	private volatile @Nullable Refusal refusal;

	/**
	 * Begin with the call.
	 */
	CallLocks(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Return what to ask for: what is waited for after others has less time.
	 */
	LockRequest request(PlannedLock lock) {
		LockRequest request = lock.request();
		if (this.held.isEmpty()) {
			return request;
		}
		Duration waitFor = (request.waitFor() != null) ? request.waitFor() : this.runtime.defaults().get().waitFor();
		if (waitFor.isNegative()) {
			return request;
		}
		Duration left = waitFor.minus(elapsed());
		return request.waitFor(left.isNegative() ? Duration.ZERO : left);
	}

	int count() {
		return this.held.size();
	}

	void acquired(LockHandle lock) {
		this.held.add(lock);
	}

	/**
	 * Have the loss of one lock release the others, now that all are held.
	 * @throws io.holdfast.LockLostException when one was lost while the others were
	 * waited for
	 */
	void join() {
		if (this.held.size() > 1) {
			this.held.forEach(LockHandle::ensureHeld);
			this.held.forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
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
		LockNotAcquiredException told = this.held.isEmpty() ? failure : sinceTheStart(failure);
		this.refusal = new Refusal(told, lock.reaction());
		return told;
	}

	/**
	 * Return what to run instead of the call, all locks of which have been released.
	 * @param failure what the call has ended with
	 * @return the reaction, or {@code null} when it is not one of its locks that was not
	 * acquired: the body may have been refused a lock of its own
	 */
	@Nullable Body instead(LockCall call, Throwable failure) {
		Refusal noted = this.refusal;
		return (noted != null && noted.failure() == failure) ? () -> noted.reaction().instead(call, noted.failure())
				: null;
	}

	private LockNotAcquiredException sinceTheStart(LockNotAcquiredException failure) {
		LockNotAcquiredException all = new LockNotAcquiredException(failure.getKey(), elapsed(), failure.getHolder());
		all.initCause(failure);
		return all;
	}

	private Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	private record Refusal(LockNotAcquiredException failure, FailureReaction reaction) {

	}

}
