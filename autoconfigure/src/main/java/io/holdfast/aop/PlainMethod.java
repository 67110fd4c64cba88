package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * A method whose calls have ended when it returns. Their locks are acquired one inside
 * the other; when one is not acquired, all are released before anything else is done.
 */
class PlainMethod extends LockedMethod {

	PlainMethod(Method method, LockPlan plan, LockRuntime runtime) {
		super(method, plan, runtime);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		List<PlannedLock> wanted = locks(call);
		if (wanted.isEmpty()) {
			return body.proceed();
		}
		CallLocks locks = new CallLocks(wanted, runtime());
		try {
			return acquire(locks, body);
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			CallLocks.Refusal refusal = locks.refusal();
			if (refusal == null) {
				throw ex;
			}
			return refusal.react(call);
		}
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object acquire(CallLocks locks, Body body) throws Throwable {
		int held = locks.count();
		try {
			Object result = runtime().template()
				.<@Nullable Object, Throwable>execute(locks.next(), (lock) -> proceed(lock, locks, body));
			runtime().requireRun(locks.count() > held);
			return result;
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			throw (locks.count() == held) ? locks.refused(ex) : ex;
		}
	}

	private @Nullable Object proceed(LockHandle lock, CallLocks locks, Body body) throws Throwable {
		locks.acquired(lock);
		try {
			if (!locks.areComplete()) {
				return acquire(locks, body);
			}
			locks.begin();
			return proceed(lock, body);
		}
		finally {
			locks.giveBackUnlessBegun(lock);
		}
	}

	@Nullable Object proceed(LockHandle lock, Body body) throws Throwable {
		return body.proceed();
	}

}
