package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

class PlainMethod extends LockedMethod {

	PlainMethod(Method method, LockPlan plan, Supplier<LockTemplate> template) {
		super(method, plan, template);
	}

	@Override
	public @Nullable Object run(LockCall call, Body body) throws Throwable {
		LockRequest request = plan().request(call);
		if (request == null) {
			return body.proceed();
		}
		CallState state = new CallState();
		try {
			return execute(request, state, body);
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			if (state.isRefusedBy(ex)) {
				return plan().react(call, ex);
			}
			throw ex;
		}
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object execute(LockRequest request, CallState state, Body body) throws Throwable {
		Object result = template().<@Nullable Object, Throwable>execute(request, (lock) -> {
			state.enter();
			return proceed(lock, body);
		});
		requireInside(state);
		return result;
	}

	@Nullable Object proceed(LockHandle lock, Body body) throws Throwable {
		return body.proceed();
	}

}
