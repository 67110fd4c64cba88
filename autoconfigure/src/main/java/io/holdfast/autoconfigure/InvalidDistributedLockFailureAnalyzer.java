package io.holdfast.autoconfigure;

import java.util.Objects;

import io.holdfast.DistributedLock;
import io.holdfast.aop.InvalidDistributedLockException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;

class InvalidDistributedLockFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDistributedLockException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidDistributedLockException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.getAction(), cause);
	}

	// Spring itself refuses such an annotation, when it reads the class. Only the
	// failure around that names the class on all JDKs
	static class AliasFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

		@Override
		protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
			String message = String.valueOf(cause.getMessage());
			return message.contains(DistributedLock.class.getName())
					? new FailureAnalysis(around(rootFailure, cause) + message,
							"Set only one of 'key' and 'value' of @DistributedLock: they mean the same.", cause)
					: null;
		}

		private static String around(Throwable failure, Throwable cause) {
			Throwable around = failure;
			while (around != cause && around.getCause() != cause) {
				around = Objects.requireNonNull(around.getCause());
			}
			String message = around.getMessage();
			return (message != null && !message.contains(cause.toString())) ? message + ": " : "";
		}

	}

}
