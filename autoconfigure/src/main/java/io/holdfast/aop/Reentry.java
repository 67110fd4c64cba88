package io.holdfast.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Calls that already have their locks, on their way to another place that would lock
 * them: the next proxy around the same object, or the woven method that AspectJ's
 * {@code proceed()} cannot reach.
 *
 * @since 0.1.0
 */
public final class Reentry {

	private final ThreadLocal<@Nullable Entry> underWay = new ThreadLocal<>();

	/**
	 * Make a call that is not to be locked again.
	 * @param method the method
	 * @param target the object that is called next: the proxy, or the one with the method
	 * @param body makes the call
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	public @Nullable Object call(Method method, Object target, LockedMethod.Body body) throws Throwable {
		Entry outer = this.underWay.get();
		this.underWay.set(new Entry(method, target));
		try {
			return body.proceed();
		}
		finally {
			if (outer != null) {
				this.underWay.set(outer);
			}
			else {
				this.underWay.remove();
			}
		}
	}

	/**
	 * Return whether a call is one of these. Answers so once for each.
	 * @param method the method
	 * @param target the object that is called
	 * @return whether it is not to be locked again
	 */
	public boolean isUnderWay(Method method, @Nullable Object target) {
		Entry entry = this.underWay.get();
		boolean same = entry != null && entry.target() == target && entry.method().equals(method);
		if (same) {
			this.underWay.remove();
		}
		return same;
	}

	private record Entry(Method method, Object target) {
	}

}
