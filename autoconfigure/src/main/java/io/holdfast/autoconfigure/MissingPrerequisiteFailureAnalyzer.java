package io.holdfast.autoconfigure;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class MissingPrerequisiteFailureAnalyzer
		extends AbstractFailureAnalyzer<MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingPrerequisiteException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action, cause);
	}

	static final class MissingPrerequisiteException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		private final String action;

		private MissingPrerequisiteException(String description, String action) {
			super(description);
			this.action = action;
		}

		static MissingPrerequisiteException lockStore() {
			return new MissingPrerequisiteException(
					"Holdfast keeps locks in Redis, but there is no RedisConnectionFactory in the application context, or "
							+ "there are several of them and none is primary.",
					"Put a Redis client on the class path (that of 'spring.data.redis.client-type', if this is set) "
							+ "and configure 'spring.data.redis.*', define a "
							+ "RedisConnectionFactory bean, choose one of several by @HoldfastRedis, "
							+ "'holdfast.redis.connection-factory' or @Primary, add 'io.holdfast:holdfast-jdbc' to "
							+ "keep locks in a database, or, if "
							+ "locks need to work only inside this JVM, set 'holdfast.store=local'.");
		}

		static MissingPrerequisiteException mark(String problem, String... beans) {
			return new MissingPrerequisiteException(
					"@HoldfastRedis marks the RedisConnectionFactory bean of the Redis that keeps locks, but %s: %s."
						.formatted(problem, Stream.of(beans).sorted().collect(Collectors.joining(", "))),
					"Put @HoldfastRedis on one RedisConnectionFactory bean. To choose that by "
							+ "'holdfast.redis.connection-factory', or servers by 'holdfast.redis.nodes', remove the annotation.");
		}

		static MissingPrerequisiteException quorum() {
			return new MissingPrerequisiteException(
					"'holdfast.redis.nodes' is set, but the module that keeps locks on independent masters is missing.",
					"Add the dependency 'io.holdfast:holdfast-quorum', in the version of "
							+ "'io.holdfast:holdfast-spring-boot-starter'. An application that lists its "
							+ "auto-configurations needs io.holdfast.quorum.QuorumAutoConfiguration among them, and one "
							+ "that is processed ahead of time needs the property then, too. To keep locks in the "
							+ "Redis of 'spring.data.redis.*', remove the property.");
		}

		static MissingPrerequisiteException jdbc() {
			return new MissingPrerequisiteException(
					"'holdfast.store' is 'jdbc', but the module that keeps locks in a database is missing.",
					"Add the dependency 'io.holdfast:holdfast-jdbc', in the version of "
							+ "'io.holdfast:holdfast-spring-boot-starter'. An application that lists its "
							+ "auto-configurations needs io.holdfast.jdbc.JdbcLocksAutoConfiguration among them.");
		}

		static MissingPrerequisiteException aspectj() {
			return new MissingPrerequisiteException(
					"'holdfast.aspect.mode' is 'aspectj', but the module that weaves locks into classes is missing:"
							+ " methods with @DistributedLock would run without their locks.",
					"Add the dependency 'io.holdfast:holdfast-aspectj', in the version of "
							+ "'io.holdfast:holdfast-spring-boot-starter', or set 'holdfast.aspect.mode' to 'proxy'.");
		}

	}

}
