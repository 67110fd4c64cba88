package io.holdfast.aop;

import org.springframework.context.aot.AbstractAotProcessor;

/**
 * Tells the build of an application that is processed ahead of time from where it runs.
 * Annotations are read in both, but properties may have other values, or none at all, in
 * the build.
 */
final class AheadOfTime {

	private AheadOfTime() {
	}

	/**
	 * Return whether this is the build.
	 */
	static boolean isUnderWay() {
		return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
	}

}
