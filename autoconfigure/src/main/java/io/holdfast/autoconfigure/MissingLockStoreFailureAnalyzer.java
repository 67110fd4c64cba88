package io.holdfast.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to add when there is nothing to keep locks in.
 */
class MissingLockStoreFailureAnalyzer
		extends AbstractFailureAnalyzer<MissingLockStoreFailureAnalyzer.MissingLockStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingLockStoreException cause) {
		return new FailureAnalysis(
				"Holdfast keeps locks in Redis, but there is no RedisConnectionFactory in the application context, or "
						+ "there are several of them and none is primary.",
				"Put a Redis client on the class path (that of 'spring.data.redis.client-type', if this is set) "
						+ "and configure 'spring.data.redis.*', define a "
						+ "RedisConnectionFactory bean, mark one of several as @Primary, or, if "
						+ "locks need to work only inside this JVM, set 'holdfast.store=local'.",
				cause);
	}

	/**
	 * Thrown at startup when there is nothing to keep locks in.
	 */
	static class MissingLockStoreException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		MissingLockStoreException() {
			super("There is no Redis connection to keep locks in");
		}

	}

}
