package io.holdfast.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;

import io.holdfast.LockRequest;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Refuses property values that cannot work, at startup and by name: as soon as they are
 * bound.
 */
final class PropertyChecks implements BeanPostProcessor, PriorityOrdered {

	private static final String STATIC_NODES = "spring.data.redis.masterreplica.nodes";

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	/**
	 * Where seconds are usual, less than this is likely to be a unit that was forgotten.
	 */
	private static final Duration USUAL = Duration.ofMillis(100);

	private static final int FEWEST_CONNECTIONS = 3;

	private static final Logger logger = LoggerFactory.getLogger(PropertyChecks.class);

	/**
	 * After the one that binds them.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof HoldfastProperties properties) {
			check(properties);
			warnOfMissingUnits(properties);
		}
		return bean;
	}

	private static void warnOfMissingUnits(HoldfastProperties properties) {
		warnOfMissingUnit("wait-for", properties.getWaitFor());
		warnOfMissingUnit("max-hold", properties.getMaxHold());
		warnOfMissingUnit("warn-hold", properties.getWarnHold());
		warnOfMissingUnit("warn-wait", properties.getWarnWait());
		warnOfMissingUnit("token-retention", properties.getTokenRetention());
		warnOfMissingUnit("shutdown-grace", properties.getShutdownGrace());
	}

	private static void warnOfMissingUnit(String name, @Nullable Duration duration) {
		if (duration != null && duration.compareTo(Duration.ZERO) > 0 && duration.compareTo(USUAL) < 0) {
			logger.warn(
					"Property 'holdfast.{}' is only {} ms: a number without a unit means milliseconds. For seconds, write {}s.",
					name, duration.toMillis(), duration.toMillis());
		}
	}

	static void check(HoldfastProperties properties) {
		checkKeyPrefix(properties.getKeyPrefix());
		checkDurations(properties);
		require(properties.getLocalHandoffs() >= 0, "local-handoffs", properties.getLocalHandoffs(),
				"It must not be negative.");
		require(properties.getRetainMax() >= 0, "retain-max", properties.getRetainMax(), "It must not be negative.");
		require(properties.getMetrics().getMaxNames() >= 0, "metrics.max-names", properties.getMetrics().getMaxNames(),
				"It must not be negative.");
		checkSupported(properties);
		checkReplicaAcks(properties);
		int maxActive = properties.getRedis().getPool().getMaxActive();
		require(maxActive >= FEWEST_CONNECTIONS, "redis.pool.max-active", maxActive,
				"It must be at least %d: one to receive notifications, one to acquire locks, and one to renew and release them."
					.formatted(FEWEST_CONNECTIONS));
		checkNodes(properties);
	}

	private static void checkKeyPrefix(String prefix) {
		require(!prefix.isBlank(), "key-prefix", prefix, "It must not be blank.");
		require(prefix.chars().noneMatch((c) -> c == '{' || c == '}'), "key-prefix", prefix,
				"It must not contain braces: they mark the part of a key that is its Cluster hash tag.");
	}

	private static void checkDurations(HoldfastProperties properties) {
		Duration lease = properties.getLease();
		require(lease.compareTo(SHORTEST_LEASE) >= 0 && lease.compareTo(LockRequest.LONGEST_LEASE) <= 0, "lease", lease,
				"It must be between %d ms and %d days. A number without a unit means milliseconds: write 30s for seconds."
					.formatted(SHORTEST_LEASE.toMillis(), LockRequest.LONGEST_LEASE.toDays()));
		Duration waitFor = properties.getWaitFor();
		require(!waitFor.isNegative() || waitFor.equals(LockRequest.NO_LIMIT), "wait-for", waitFor,
				"It must not be negative, except for -1, which means no limit.");
		requirePositive("max-hold", properties.getMaxHold());
		requirePositive("warn-hold", properties.getWarnHold());
		requirePositive("warn-wait", properties.getWarnWait());
		Duration retention = properties.getTokenRetention();
		require(retention.compareTo(Duration.ZERO) > 0 && retention.compareTo(LockRequest.LONGEST_LEASE) <= 0,
				"token-retention", retention,
				"It must be positive and at most %d days.".formatted(LockRequest.LONGEST_LEASE.toDays()));
		require(!properties.getHandoverCheck().isNegative(), "handover-check", properties.getHandoverCheck(),
				"It must not be negative.");
		checkRetain(properties.getRetain(), properties.getHandoverCheck());
		require(!properties.getShutdownGrace().isNegative(), "shutdown-grace", properties.getShutdownGrace(),
				"It must not be negative.");
	}

	private static void checkRetain(Duration retain, Duration handoverCheck) {
		require(!retain.isNegative() && retain.compareTo(LockRequest.LONGEST_LEASE) <= 0, "retain", retain,
				"It must be between 0 and %d days.".formatted(LockRequest.LONGEST_LEASE.toDays()));
		require(retain.isZero() || !handoverCheck.isZero(), "retain", retain,
				"It cannot be combined with 'holdfast.handover-check' 0, which asks Redis each time.");
	}

	private static void requirePositive(String name, @Nullable Duration duration) {
		require(duration == null || duration.compareTo(Duration.ZERO) > 0, name, duration, "It must be positive.");
	}

	private static void checkSupported(HoldfastProperties properties) {
		require(properties.getStore() == HoldfastProperties.Store.REDIS || properties.getRedis().getNodes().isEmpty(),
				"store", properties.getStore(), "It cannot be combined with 'holdfast.redis.nodes'.");
	}

	private static void checkReplicaAcks(HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.getRedis();
		int acks = redis.getReplicaAcks();
		require(acks >= 0, "redis.replica-acks", acks, "It must not be negative.");
		require(acks == 0 || redis.getNodes().isEmpty(), "redis.replica-acks", acks,
				"It cannot be combined with 'holdfast.redis.nodes'.");
		Duration timeout = redis.getReplicaAckTimeout();
		require(timeout.compareTo(Duration.ZERO) > 0, "redis.replica-ack-timeout", timeout, "It must be positive.");
		require(acks == 0 || timeout.compareTo(properties.getLease()) < 0, "redis.replica-ack-timeout", timeout,
				"It must be less than 'holdfast.lease', which is %s.".formatted(properties.getLease()));
	}

	/**
	 * Refuse to wait for the replicas of a Cluster, as far as it is known to be one.
	 */
	static void checkConnections(RedisConnectionFactory connectionFactory, HoldfastProperties properties) {
		int acks = properties.getRedis().getReplicaAcks();
		require(acks == 0 || !isCluster(connectionFactory), "redis.replica-acks", acks,
				"It cannot be combined with a Redis Cluster ('spring.data.redis.cluster.nodes').");
	}

	/**
	 * Refuse nodes where nothing keeps locks on them, also an empty list: an application
	 * that wants a quorum must not get a single Redis.
	 */
	static void checkNoNodes(Environment environment) {
		if (Binder.get(environment).bind("holdfast.redis.nodes", Bindable.listOf(String.class)).isBound()) {
			throw new MissingQuorumFailureAnalyzer.MissingQuorumException();
		}
	}

	/**
	 * Refuse servers that Lettuce does not subscribe to.
	 */
	static void checkServers(Environment environment) {
		List<String> nodes = Binder.get(environment)
			.bind(STATIC_NODES, Bindable.listOf(String.class))
			.orElse(List.of());
		if (!nodes.isEmpty()) {
			throw new InvalidConfigurationPropertyValueException(STATIC_NODES, nodes,
					"Locks cannot be kept on a static master with replicas. Use Sentinel ('spring.data.redis.sentinel.*'), a "
							+ "Cluster ('spring.data.redis.cluster.*'), or an address that leads to the master ('spring.data.redis.host').");
		}
	}

	/**
	 * Refuse to wait for replicas where it is not known on which connection.
	 */
	static void checkOwnConnections(RedisConnectionFactory connections, HoldfastProperties properties) {
		int acks = properties.getRedis().getReplicaAcks();
		require(acks == 0 || connections instanceof LockConnectionFactory, "redis.replica-acks", acks,
				"It needs a LettuceConnectionFactory, or a JedisConnectionFactory with Spring Boot 4.1 or newer, and not a subclass of your own.");
	}

	private static boolean isCluster(RedisConnectionFactory connectionFactory) {
		return (connectionFactory instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware())
				|| (connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware());
	}

	private static void checkNodes(HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.getRedis();
		Duration timeout = redis.getNodeTimeout();
		require(timeout.compareTo(Duration.ZERO) > 0, "redis.node-timeout", timeout, "It must be positive.");
		require(redis.getSsl().getBundle() == null || !redis.getNodes().isEmpty(), "redis.ssl.bundle",
				redis.getSsl().getBundle(), "It applies to 'holdfast.redis.nodes', which is not set. For the Redis "
						+ "of 'spring.data.redis.*', set 'spring.data.redis.ssl.bundle'.");
		require(redis.getNodes().isEmpty() || timeout.compareTo(properties.getLease().dividedBy(3)) < 0,
				"redis.node-timeout", timeout,
				"It must be less than a third of 'holdfast.lease', which is %s.".formatted(properties.getLease()));
	}

	private static void require(boolean condition, String name, @Nullable Object value, String reason) {
		if (!condition) {
			throw new InvalidConfigurationPropertyValueException("holdfast." + name, value, reason);
		}
	}

	/**
	 * Says how to write a duration that cannot be read. Comes before Spring Boot's
	 * analyzer, which does not say it.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class DurationFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

		private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("holdfast");

		@Override
		protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
			ConversionFailedException failed = findCause(cause, ConversionFailedException.class);
			ConfigurationProperty property = cause.getProperty();
			if (failed == null || failed.getTargetType().getType() != Duration.class || property == null
					|| !PREFIX.isAncestorOf(property.getName())) {
				return null;
			}
			return new FailureAnalysis(
					"Configuration property '%s' is \"%s\", which is not a duration (%s)".formatted(property.getName(),
							property.getValue(), property.getOrigin()),
					"Write '%s' as a number and its unit without a space: 500ms, 30s, 5m, 24h or 7d, or as PT30S."
						.formatted(property.getName()),
					cause);
		}

	}

	/**
	 * Matches unless a property is off. Reads it as properties are bound ({@code yes},
	 * {@code on} and {@code 1} are true), so that what is neither stops the startup:
	 * locks must not be off by mistake.
	 */
	@Target({ ElementType.TYPE, ElementType.METHOD })
	@Retention(RetentionPolicy.RUNTIME)
	@Conditional(OnSwitch.class)
	@interface ConditionalOnSwitch {

		/**
		 * Return the name of the property.
		 */
		String value();

	}

	static final class OnSwitch extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String name = metadata.getAnnotations().get(ConditionalOnSwitch.class).getString("value");
			boolean on = Binder.get(context.getEnvironment()).bind(name, Boolean.class).orElse(true);
			return new ConditionOutcome(on,
					ConditionMessage.forCondition(ConditionalOnSwitch.class, name).because(on ? "is on" : "is off"));
		}

	}

}
