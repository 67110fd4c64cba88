package io.holdfast.sample;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to do when the sample cannot start its Redis.
 */
class RedisNotStartedFailureAnalyzer extends AbstractFailureAnalyzer<RedisNotStartedException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RedisNotStartedException cause) {
		String description = "Nothing that speaks Redis answers on port %d, and none can be started there:%n%n%s"
			.formatted(cause.getPort(), cause.getReason().strip());
		String action = "Set 'sample.redis-port' to a port that is free, or 'spring.data.redis.host' and "
				+ "'spring.data.redis.port' to a Redis of your own.";
		return new FailureAnalysis(description, action, cause);
	}

}
