package io.holdfast.aop.weaving;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Calls woven methods again, without their locks. AspectJ's own {@code proceed()} works
 * reliably only once, and only on the thread of the call: when other aspects are woven
 * into the method as well, it would leave out some of them.
 */
final class Reentry {

	private final ThreadLocal<@Nullable Entry> underWay = new ThreadLocal<>();

	/**
	 * Call a method. One that overrides it is not called in its place.
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	@Nullable Object call(Method method, Object target, @Nullable Object[] args) throws Throwable {
		MethodHandle handle = handle(method).bindTo(target);
		this.underWay.set(new Entry(method, target));
		try {
			return handle.invokeWithArguments(args);
		}
		finally {
			this.underWay.remove();
		}
	}

	private static MethodHandle handle(Method method) throws IllegalAccessException {
		Class<?> declaring = method.getDeclaringClass();
		return MethodHandles.privateLookupIn(declaring, MethodHandles.lookup())
			.unreflectSpecial(method, declaring)
			.asFixedArity();
	}

	/**
	 * Return whether a call is one of these. Answers so once for each.
	 */
	boolean isUnderWay(Method method, @Nullable Object target) {
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
