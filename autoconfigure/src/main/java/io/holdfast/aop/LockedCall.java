package io.holdfast.aop;

import java.util.Iterator;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A call under locks that are acquired one inside the other, and yet are as one. When one
 * is not acquired, all are released before anything else is done.
 */
final class LockedCall {

	private final LockRuntime runtime;

	private final LockCall call;

	private final Body body;

	private final CallTime time;

	private final HeldLocks held;

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
		this.time = new CallTime(runtime.defaults());
		this.held = new HeldLocks(runtime.releaseAside());
	}

	@Nullable Object run(List<PlannedLock> locks) throws Throwable {
		try {
			return acquire(locks.iterator());
		}
		catch (LockNotAcquiredException ex) {
			if (this.refusal == null) {
				throw ex; // of a lock that the body asked for
			}
			return this.refusal.reaction().instead(this.call, this.refusal.failure());
		}
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object acquire(Iterator<PlannedLock> locks) throws Throwable {
		int before = this.held.count();
		PlannedLock next = locks.next();
		LockRequest request = (before > 0) ? this.time.shortened(next.request()) : next.request();
		try {
			return this.runtime.template()
				.get()
				.<@Nullable Object, Throwable>execute(request, (lock) -> holding(lock, locks));
		}
		catch (LockNotAcquiredException ex) {
			throw (this.held.count() == before) ? refused(next, ex) : ex;
		}
	}

	private @Nullable Object holding(LockHandle lock, Iterator<PlannedLock> locks) throws Throwable {
		this.held.add(lock);
		if (locks.hasNext()) {
			return acquire(locks);
		}
		this.held.join();
		return this.body.proceed();
	}

	private LockNotAcquiredException refused(PlannedLock lock, LockNotAcquiredException failure) {
		LockNotAcquiredException told = (this.held.count() > 0) ? this.time.sinceTheStart(failure) : failure;
		this.refusal = new Refusal(told, lock.reaction());
		return told;
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
