package io.holdfast.aop;

import org.jspecify.annotations.Nullable;

/**
 * What is run under locks, once.
 */
@FunctionalInterface
interface Body {

	@Nullable Object proceed() throws Throwable;

	/**
	 * Return the same for one more run, on any thread.
	 */
	default Body again() {
		return this;
	}

}
