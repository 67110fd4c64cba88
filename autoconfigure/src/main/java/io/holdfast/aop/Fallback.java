package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

/**
 * Calls another method of the same object.
 *
 * @param method the method to call
 * @param takesFailure whether its last parameter says that the lock was not acquired; in
 * Java, that of a suspend function is its last but one
 */
record Fallback(Method method, boolean takesFailure) implements FailureReaction {

	@Override
	public @Nullable Object instead(LockCall call, LockNotAcquiredException failure) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(innermost(call.target()), this.method, arguments(call, failure));
	}

	/**
	 * Return the arguments, with the failure after those that the languages of the
	 * methods know.
	 */
	private @Nullable Object[] arguments(LockCall call, LockNotAcquiredException failure) {
		if (!this.takesFailure) {
			return call.args();
		}
		List<@Nullable Object> all = new ArrayList<>(Arrays.asList(call.args()));
		all.add(Methods.parameterCount(call.method()), failure);
		return all.toArray();
	}

	/**
	 * A private method that is called on a proxy would find its fields empty.
	 */
	private static Object innermost(Object target) {
		Object inner = AopProxyUtils.getSingletonTarget(target);
		return (inner != null) ? innermost(inner) : target;
	}

}
