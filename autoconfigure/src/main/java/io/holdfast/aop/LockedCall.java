package io.holdfast.aop;

import java.util.Iterator;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * A call under locks that are acquired one inside the other. When one is not acquired,
 * all are released before anything else is done.
 */
final class LockedCall {

	private final MethodCall call;

	private final CallLocks locks;

	/**
	 * Create a call that begins now.
	 */
	LockedCall(MethodCall call) {
		this.call = call;
		this.locks = new CallLocks(call.runtime());
	}

	@Nullable Object run(List<PlannedLock> wanted) throws Throwable {
		try {
			return acquire(wanted.iterator());
		}
		catch (LockNotAcquiredException ex) {
			Body instead = this.locks.instead(this.call.call());
			if (instead == null) {
				throw ex;
			}
			return instead.proceed();
		}
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object acquire(Iterator<PlannedLock> wanted) throws Throwable {
		int before = this.locks.count();
		PlannedLock next = wanted.next();
		try {
			return this.call.runtime()
				.template()
				.get()
				.<@Nullable Object, Throwable>execute(this.locks.request(next), (lock) -> holding(lock, wanted));
		}
		catch (LockNotAcquiredException ex) {
			throw (this.locks.count() == before) ? this.locks.refused(next, ex) : ex;
		}
	}

	private @Nullable Object holding(LockHandle lock, Iterator<PlannedLock> wanted) throws Throwable {
		this.locks.acquired(lock);
		try {
			return wanted.hasNext() ? acquire(wanted) : proceed();
		}
		finally {
			this.locks.noteUnusedUnlessBegun(lock);
		}
	}

	private @Nullable Object proceed() throws Throwable {
		this.locks.begin();
		return this.call.proceed();
	}

}
