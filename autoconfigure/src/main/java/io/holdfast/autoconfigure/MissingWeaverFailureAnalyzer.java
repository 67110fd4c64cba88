package io.holdfast.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says how to have classes woven.
 */
class MissingWeaverFailureAnalyzer
		extends AbstractFailureAnalyzer<MissingWeaverFailureAnalyzer.MissingWeaverException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingWeaverException cause) {
		return new FailureAnalysis(
				"'holdfast.aspect.mode' is 'aspectj', and AspectJ does not weave io.holdfast.aop.weaving.DistributedLockAspect:"
						+ " methods with @DistributedLock would run without their locks.",
				"Start Java with '-javaagent:<path>/aspectjweaver-<version>.jar' (org.aspectj:aspectjweaver, which must"
						+ " be on the class path as well). If a META-INF/aop.xml says which classes to weave, add"
						+ " '<include within=\"io.holdfast.aop..*\"/>' to it. Or set 'holdfast.aspect.mode' to 'proxy'.",
				cause);
	}

	/**
	 * Thrown at startup when locks are to be woven into classes, and nothing weaves.
	 */
	static class MissingWeaverException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		MissingWeaverException() {
			super("There is no AspectJ weaver to put locks into classes");
		}

	}

}
