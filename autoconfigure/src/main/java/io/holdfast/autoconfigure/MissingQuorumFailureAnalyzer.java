package io.holdfast.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to add to keep locks on independent masters.
 */
class MissingQuorumFailureAnalyzer
		extends AbstractFailureAnalyzer<MissingQuorumFailureAnalyzer.MissingQuorumException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingQuorumException cause) {
		return new FailureAnalysis(
				"'holdfast.redis.nodes' is set, but the module that keeps locks on independent masters is missing.",
				"Add the dependency 'io.holdfast:holdfast-quorum', in the version of "
						+ "'io.holdfast:holdfast-spring-boot-starter'. An application that lists its auto-configurations "
						+ "needs io.holdfast.quorum.QuorumAutoConfiguration among them. To keep locks in the Redis of "
						+ "'spring.data.redis.*', remove the property.",
				cause);
	}

	/**
	 * Thrown at startup when independent masters are configured without their module.
	 */
	static class MissingQuorumException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		MissingQuorumException() {
			super("'holdfast.redis.nodes' needs io.holdfast:holdfast-quorum");
		}

	}

}
