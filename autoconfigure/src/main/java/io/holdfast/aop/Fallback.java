package io.holdfast.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * Calls another method of the same object.
 *
 * @param method the method to call
 * @param takesFailure whether its last parameter says that the lock was not acquired
 */
record Fallback(Method method, boolean takesFailure) implements FailureReaction {

	@Override
	public @Nullable Object instead(LockCall call, LockNotAcquiredException failure) throws Throwable {
		try {
			return this.method.invoke(innermost(call.target()), arguments(call.args(), failure));
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private @Nullable Object[] arguments(@Nullable Object[] args, LockNotAcquiredException failure) {
		if (!this.takesFailure) {
			return args;
		}
		@Nullable Object[] all = Arrays.copyOf(args, args.length + 1, Object[].class);
		all[args.length] = failure;
		return all;
	}

	/**
	 * A private method that is called on a proxy would find its fields empty.
	 */
	private static Object innermost(Object target) {
		Object inner = AopProxyUtils.getSingletonTarget(target);
		return (inner != null) ? innermost(inner) : target;
	}

}
