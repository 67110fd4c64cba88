package io.holdfast.autoconfigure;

import io.holdfast.aop.InvalidDistributedLockException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says which annotation cannot work, and what to do about it.
 */
class InvalidDistributedLockFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDistributedLockException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidDistributedLockException cause) {
		return new FailureAnalysis(cause.getDescription() + ".", cause.getAction(), cause);
	}

}
