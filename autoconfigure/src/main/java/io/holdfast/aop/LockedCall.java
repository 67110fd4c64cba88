package io.holdfast.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A call under locks that are acquired one inside the other, and yet are as one: the
 * waits for all of them begin with the call, the loss of one is the loss of all, and when
 * one is not acquired all are released before anything else is done.
 */
final class LockedCall {

	private final long start = System.nanoTime();

	private final List<LockHandle> held = new ArrayList<>();

	private final LockRuntime runtime;

	private final LockCall call;

	private final Body body;

	private @Nullable Refusal refusal;

	/**
	 * Create a call that begins now.
	 * @param runtime what to run it with
	 * @param call what was called
	 * @param body what to run under all of the locks
	 */
	LockedCall(LockRuntime runtime, LockCall call, Body body) {
		this.runtime = runtime;
		this.call = call;
		this.body = body;
	}

	@Nullable Object run(List<PlannedLock> locks) throws Throwable {
		try {
			return acquire(locks.iterator());
		}
		catch (LockNotAcquiredException ex) {
			// the body may have been refused a lock of its own
			if (this.refusal == null || this.refusal.failure() != ex) {
				throw ex;
			}
			return this.refusal.reaction().instead(this.call, ex);
		}
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object acquire(Iterator<PlannedLock> locks) throws Throwable {
		int before = this.held.size();
		PlannedLock next = locks.next();
		LockRequest request = (before > 0) ? shortened(next.request()) : next.request();
		try {
			return this.runtime.template()
				.get()
				.<@Nullable Object, Throwable>execute(request, (lock) -> holding(lock, locks));
		}
		catch (LockNotAcquiredException ex) {
			throw (this.held.size() == before) ? refused(next, ex) : ex;
		}
	}

	private @Nullable Object holding(LockHandle lock, Iterator<PlannedLock> locks) throws Throwable {
		this.held.add(lock);
		if (locks.hasNext()) {
			return acquire(locks);
		}
		if (this.held.size() > 1) {
			join();
		}
		return this.body.proceed();
	}

	private LockNotAcquiredException refused(PlannedLock lock, LockNotAcquiredException failure) {
		LockNotAcquiredException told = this.held.isEmpty() ? failure : sinceTheStart(failure);
		this.refusal = new Refusal(told, lock.reaction());
		return told;
	}

	/**
	 * Have the loss of one lock release the others.
	 * @throws io.holdfast.LockLostException when one was lost while the others were
	 * waited for
	 */
	private void join() {
		this.held.forEach(LockHandle::ensureHeld);
		this.held.forEach((lock) -> lock.onLost((lost) -> releaseAllBut(lock)));
	}

	/**
	 * Whoever tells losses must not wait for Redis: there may be others to tell.
	 */
	private void releaseAllBut(LockHandle lost) {
		this.held.stream().filter((lock) -> lock != lost).forEach(this.runtime.releaseAside());
	}

	private LockRequest shortened(LockRequest request) {
		Duration waitFor = (request.waitFor() != null) ? request.waitFor() : this.runtime.defaults().get().waitFor();
		if (waitFor.isNegative()) {
			return request;
		}
		Duration left = waitFor.minus(elapsed());
		return request.waitFor(left.isNegative() ? Duration.ZERO : left);
	}

	private LockNotAcquiredException sinceTheStart(LockNotAcquiredException failure) {
		LockNotAcquiredException all = new LockNotAcquiredException(failure.getKey(), elapsed(), failure.getHolder());
		all.initCause(failure);
		return all;
	}

	private Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	/**
	 * What is run under the locks.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object proceed() throws Throwable;

	}

	private record Refusal(LockNotAcquiredException failure, FailureReaction reaction) {

	}

}
