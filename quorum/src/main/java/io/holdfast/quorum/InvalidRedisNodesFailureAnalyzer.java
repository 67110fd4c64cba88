package io.holdfast.quorum;

import java.util.List;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Says what is wrong with the nodes that are configured. Comes before Spring Boot's
 * analyzer, which would tell the passwords in their URLs.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class InvalidRedisNodesFailureAnalyzer
		extends AbstractFailureAnalyzer<InvalidRedisNodesFailureAnalyzer.InvalidRedisNodesException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRedisNodesException cause) {
		return new FailureAnalysis(
				"Invalid nodes %s for configuration property '%s': %s".formatted(cause.getValue(), cause.getName(),
						cause.getReason()),
				"List independent masters in '%s' as redis:// or rediss:// URLs: at least 3, or at least 2 with "
					.formatted(cause.getName()) + "'holdfast.redis.quorum=all'.",
				cause);
	}

	// Has no password in it
	static final class InvalidRedisNodesException extends InvalidConfigurationPropertyValueException {

		private static final long serialVersionUID = 1L;

		InvalidRedisNodesException(List<String> servers, String reason) {
			super("holdfast.redis.nodes", servers, reason);
		}

	}

}
