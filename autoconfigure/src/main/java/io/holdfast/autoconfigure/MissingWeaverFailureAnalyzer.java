package io.holdfast.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says how to have classes woven.
 */
class MissingWeaverFailureAnalyzer extends AbstractFailureAnalyzer<MissingWeaverException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingWeaverException cause) {
		return new FailureAnalysis(
				"'holdfast.aspect.mode' is 'aspectj', and AspectJ does not weave the classes of this application:"
						+ " methods with @DistributedLock would run without their locks.",
				"Start Java with '-javaagent:<path>/aspectjweaver-<version>.jar' (org.aspectj:aspectjweaver, which must"
						+ " be on the class path as well), or set 'holdfast.aspect.mode' to 'proxy'.",
				cause);
	}

}
