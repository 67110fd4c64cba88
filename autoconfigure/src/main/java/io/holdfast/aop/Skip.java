package io.holdfast.aop;

import io.holdfast.LockNotAcquiredException;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves it at that, and returns an empty result.
 *
 * @param returnType what the method returns
 */
record Skip(Class<?> returnType) implements FailureReaction {

	private static final Logger logger = LoggerFactory.getLogger(Skip.class);

	@Override
	public @Nullable Object instead(LockCall call, LockNotAcquiredException failure) {
		logger.debug("Skipping {}: {}", call.method(), LogText.of(failure.getMessage()));
		return EmptyResults.of(this.returnType);
	}

}
