package io.holdfast.aspectj;

import java.lang.reflect.Method;

import io.holdfast.aop.LockedMethod;
import org.jspecify.annotations.Nullable;

/**
 * Calls that already have their locks, on their way to the woven method that AspectJ's
 * {@code proceed()} cannot reach.
 */
final class Reentry {

	private final ThreadLocal<@Nullable Entry> underWay = new ThreadLocal<>();

	@Nullable Object call(Method method, Object target, LockedMethod.Body body) throws Throwable {
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

	// True once for each call
	boolean arrive(Method method, @Nullable Object target) {
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
