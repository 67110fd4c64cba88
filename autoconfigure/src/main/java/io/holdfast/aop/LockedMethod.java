package io.holdfast.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Runs the calls of an annotated method under its lock. When a call has ended, and its
 * lock is released, depends on what the method returns.
 *
 * @since 0.1.0
 */
public abstract class LockedMethod {

	private final Method method;

	private final LockPlan plan;

	private final LockRuntime runtime;

	LockedMethod(Method method, LockPlan plan, LockRuntime runtime) {
		this.method = method;
		this.plan = plan;
		this.runtime = runtime;
	}

	/**
	 * Run a call under its lock.
	 * @param call the call
	 * @param body runs the method itself
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	public abstract @Nullable Object run(LockCall call, Body body) throws Throwable;

	final Method method() {
		return this.method;
	}

	final LockRuntime runtime() {
		return this.runtime;
	}

	final LockPlan plan() {
		return this.plan;
	}

	/**
	 * Runs a method itself, once.
	 */
	@FunctionalInterface
	public interface Body {

		@Nullable Object proceed() throws Throwable;

		/**
		 * Return the same for one more run, on any thread.
		 */
		default Body again() {
			return this;
		}

	}

}
