package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Runs the calls of an annotated method under its lock. When a call has ended, and its
 * lock is released, depends on what the method returns.
 *
 * @since 0.1.0
 */
public abstract class LockedMethod {

	private final Method method;

	private final LockPlan plan;

	private final Supplier<LockTemplate> template;

	LockedMethod(Method method, LockPlan plan, Supplier<LockTemplate> template) {
		this.method = method;
		this.plan = plan;
		this.template = template;
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

	final LockTemplate template() {
		return this.template.get();
	}

	final LockPlan plan() {
		return this.plan;
	}

	// A template of the user's own may be a mock, which does nothing
	final void requireInside(CallState state) {
		Assert.state(state.isInside(),
				() -> ("The LockTemplate bean has not run the method, and has not refused to: %s. "
						+ "If it is a mock, use a spy "
						+ "(@MockitoSpyBean), or mock Holdfast's own template, which annotated methods do without.")
					.formatted(template().getClass().getName()));
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
