package io.holdfast.aop;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, which belong together: the waits for all of them begin with the
 * call, and the loss of one releases the others.
 */
final class CallLocks {

	private final long start = System.nanoTime();

	private final List<PlannedLock> wanted;

	private final LockRuntime runtime;

	private final LockHandle[] held;

	private volatile int count;

	private volatile @Nullable Refusal refusal;

	private volatile boolean begun;

	private boolean abandoned;

	CallLocks(List<PlannedLock> wanted, LockRuntime runtime) {
		this.wanted = wanted;
		this.runtime = runtime;
		this.held = new LockHandle[wanted.size()];
	}

	int count() {
		return this.count;
	}

	boolean areComplete() {
		return this.count == this.held.length;
	}

	// A lock that is waited for after others has less time
	LockRequest next() {
		LockRequest request = this.wanted.get(this.count).request();
		return (this.count == 0) ? request : shortened(request);
	}

	private LockRequest shortened(LockRequest request) {
		Duration waitFor = this.runtime.waitFor(request);
		if (waitFor.isNegative()) {
			return request;
		}
		Duration left = waitFor.minus(elapsed());
		return request.waitFor(left.isNegative() ? Duration.ZERO : left);
	}

	private Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	void acquired(LockHandle lock) {
		int index = this.count;
		this.held[index] = lock;
		this.count = index + 1;
	}

	void begin() {
		if (this.held.length > 1) {
			held().forEach(LockHandle::ensureHeld);
			held().forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
		}
		decide();
	}

	private Stream<LockHandle> held() {
		return Arrays.stream(this.held, 0, this.count);
	}

	// The thread that reports losses must not wait for Redis: it may have others to
	// report
	private void releaseAllBut(LockHandle lost) {
		held().filter((lock) -> lock != lost).forEach(LockRuntime::releaseAside);
	}

	private synchronized void decide() {
		if (this.abandoned) {
			throw new CancellationException();
		}
		this.begun = true;
	}

	synchronized boolean abandon() {
		this.abandoned = !this.begun;
		return this.abandoned;
	}

	void giveBackUnlessBegun(LockHandle lock) {
		if (!this.begun) {
			lock.giveBack();
		}
	}

	void noteUnusedUnlessBegun(LockHandle lock) {
		if (!this.begun) {
			LockRuntime.noteUnused(lock);
		}
	}

	// If it was the next lock that was refused after so many
	Throwable reported(Throwable failure, int held) {
		boolean refused = failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
		return (refused && this.count == held) ? refused((LockException) failure) : failure;
	}

	LockException refused(LockException failure) {
		PlannedLock lock = this.wanted.get(this.count);
		boolean later = failure instanceof LockNotAcquiredException && this.count > 0;
		LockException reported = later ? sinceTheStart((LockNotAcquiredException) failure) : failure;
		this.refusal = new Refusal(reported,
				(failure instanceof LockUnavailableException) ? lock.unavailable() : lock.notAcquired());
		return reported;
	}

	private LockNotAcquiredException sinceTheStart(LockNotAcquiredException failure) {
		LockNotAcquiredException all = new LockNotAcquiredException(failure.getKey(), failure.isOneTry(), elapsed(),
				failure.getHolder(), failure.getHolderName());
		all.initCause(failure);
		return all;
	}

	// Only for a lock of the call itself: the method may have been refused one of its own
	synchronized @Nullable Refusal refusal() {
		return this.abandoned ? null : this.refusal;
	}

	record Refusal(LockException failure, FailureReaction reaction) {

		@Nullable Object react(LockCall call) throws Throwable {
			return this.reaction.instead(call, this.failure);
		}

	}

}
