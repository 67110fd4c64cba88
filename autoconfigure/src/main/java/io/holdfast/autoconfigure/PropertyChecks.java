package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockRequest;
import io.holdfast.autoconfigure.MissingPrerequisiteFailureAnalyzer.MissingPrerequisiteException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.Environment;

final class PropertyChecks implements BeanPostProcessor, PriorityOrdered {

	private static final String STATIC_NODES = "spring.data.redis.masterreplica.nodes";

	// A property below this has probably lost its unit: 30 is 30 ms. Requests say theirs,
	// so their leases may be shorter
	private static final Duration SHORTEST_PROBABLE = Duration.ofMillis(100);

	private static final String NOT_NEGATIVE = "It must not be negative.";

	private static final String NOT_WITH_NODES = "It cannot be combined with 'holdfast.redis.nodes'.";

	private static final int FEWEST_CONNECTIONS = 3;

	private static final Logger logger = LoggerFactory.getLogger(PropertyChecks.class);

	// After the one that binds them
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
		warnOfMissingUnit("wait-for", properties.waitFor());
		warnOfMissingUnit("max-hold", properties.maxHold());
		warnOfMissingUnit("warn-hold", properties.warnHold());
		warnOfMissingUnit("warn-wait", properties.warnWait());
		warnOfMissingUnit("token-retention", properties.tokenRetention());
		warnOfMissingUnit("shutdown-grace", properties.shutdownGrace());
	}

	private static void warnOfMissingUnit(String name, @Nullable Duration duration) {
		if (duration != null && isPositive(duration) && duration.compareTo(SHORTEST_PROBABLE) < 0) {
			logger.warn(
					"Property 'holdfast.{}' is only {} ms: a number without a unit means milliseconds. For seconds, write {}s.",
					name, duration.toMillis(), duration.toMillis());
		}
	}

	static void check(HoldfastProperties properties) {
		String prefix = properties.keyPrefix();
		require(!prefix.isBlank(), "key-prefix", prefix, "It must not be blank.");
		require(prefix.chars().noneMatch((c) -> c == '{' || c == '}'), "key-prefix", prefix,
				"It must not contain braces: they mark the part of a key that is its Cluster hash tag.");
		checkDurations(properties);
		requireNotNegative("local-handoffs", properties.localHandoffs());
		requireNotNegative("metrics.max-names", properties.metrics().maxNames());
		int maxActive = properties.redis().pool().maxActive();
		require(maxActive >= FEWEST_CONNECTIONS, "redis.pool.max-active", maxActive,
				"It must be at least %d: one to receive notifications, one to acquire locks, and one to renew and release them."
					.formatted(FEWEST_CONNECTIONS));
		checkReplicaAcks(properties);
		checkNodes(properties);
	}

	private static void checkDurations(HoldfastProperties properties) {
		long longest = LockRequest.LONGEST_LEASE.toDays();
		Duration lease = properties.lease();
		require(lease.compareTo(SHORTEST_PROBABLE) >= 0 && isPossible(lease), "lease", lease,
				"It must be between %d ms and %d days. A number without a unit means milliseconds: write 30s for seconds."
					.formatted(SHORTEST_PROBABLE.toMillis(), longest));
		Duration waitFor = properties.waitFor();
		require(!waitFor.isNegative() || waitFor.equals(LockRequest.NO_LIMIT), "wait-for", waitFor,
				"It must not be negative, except for -1, which means no limit.");
		requirePositive("max-hold", properties.maxHold());
		requirePositive("warn-hold", properties.warnHold());
		requirePositive("warn-wait", properties.warnWait());
		Duration retention = properties.tokenRetention();
		require(isPositive(retention) && isPossible(retention), "token-retention", retention,
				"It must be positive and at most %d days.".formatted(longest));
		requireNotNegative("handover-check", properties.handoverCheck());
		requireNotNegative("shutdown-grace", properties.shutdownGrace());
	}

	private static boolean isPossible(Duration duration) {
		return duration.compareTo(LockRequest.LONGEST_LEASE) <= 0;
	}

	private static boolean isPositive(Duration duration) {
		return duration.compareTo(Duration.ZERO) > 0;
	}

	private static void requirePositive(String name, @Nullable Duration duration) {
		require(duration == null || isPositive(duration), name, duration, "It must be positive, or not be set.");
	}

	private static void requireNotNegative(String name, Duration duration) {
		require(!duration.isNegative(), name, duration, NOT_NEGATIVE);
	}

	private static void requireNotNegative(String name, int number) {
		require(number >= 0, name, number, NOT_NEGATIVE);
	}

	private static void checkReplicaAcks(HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.redis();
		int acks = redis.replicaAcks();
		requireNotNegative("redis.replica-acks", acks);
		Duration timeout = redis.replicaAckTimeout();
		requirePositive("redis.replica-ack-timeout", timeout);
		require(acks == 0 || timeout.compareTo(properties.lease()) < 0, "redis.replica-ack-timeout", timeout,
				"It must be less than 'holdfast.lease', which is %s.".formatted(properties.lease()));
	}

	// Refuse to wait for replicas for longer than the client waits for an answer
	static void checkReplicaAckTimeout(HoldfastProperties properties, Duration timeout, String timeoutName) {
		Duration ofReplicas = properties.redis().replicaAckTimeout();
		require(properties.redis().replicaAcks() == 0 || ofReplicas.compareTo(timeout) < 0, "redis.replica-ack-timeout",
				ofReplicas,
				"It must be less than %s, which is %s: no request waits longer.".formatted(timeoutName, timeout));
	}

	// Refuse a store whose module is missing. Also nodes that are an empty list: an
	// application that wants a quorum must not get a single Redis
	static void checkModules(Environment environment) {
		if (Binder.get(environment)
			.bind("holdfast.store", HoldfastProperties.Store.class)
			.orElse(HoldfastProperties.Store.REDIS) == HoldfastProperties.Store.JDBC) {
			throw MissingPrerequisiteException.jdbc();
		}
		if (Binder.get(environment).bind("holdfast.redis.nodes", Bindable.listOf(String.class)).isBound()) {
			throw MissingPrerequisiteException.quorum();
		}
	}

	// Refuse one Redis for locks where they are kept on nodes
	static void checkNotMarked(HoldfastProperties properties, ListableBeanFactory beans) {
		String[] marked = properties.redis().nodes().isEmpty() ? new String[0]
				: LockRedis.namesOfMarked(beans).toArray(String[]::new);
		if (marked.length > 0) {
			throw MissingPrerequisiteException.mark("'holdfast.redis.nodes' is set, and a bean has it", marked);
		}
	}

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

	private static void checkNodes(HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.redis();
		Duration timeout = redis.nodeTimeout();
		requirePositive("redis.node-timeout", timeout);
		boolean usesBundle = properties.store() == HoldfastProperties.Store.LOCAL || !redis.nodes().isEmpty();
		require(redis.ssl().bundle() == null || usesBundle, "redis.ssl.bundle", redis.ssl().bundle(),
				"It applies to 'holdfast.redis.nodes', which is not set. For the Redis "
						+ "of 'spring.data.redis.*', set 'spring.data.redis.ssl.bundle'.");
		if (redis.nodes().isEmpty()) {
			return;
		}
		require(properties.store() == HoldfastProperties.Store.REDIS, "store", properties.store(), NOT_WITH_NODES);
		require(redis.replicaAcks() == 0, "redis.replica-acks", redis.replicaAcks(), NOT_WITH_NODES);
		require(redis.connectionFactory() == null, "redis.connection-factory", redis.connectionFactory(),
				NOT_WITH_NODES);
		require(timeout.compareTo(properties.lease().dividedBy(3)) < 0, "redis.node-timeout", timeout,
				"It must be less than a third of 'holdfast.lease', which is %s.".formatted(properties.lease()));
	}

	static void require(boolean condition, String name, @Nullable Object value, String reason) {
		if (!condition) {
			throw new InvalidConfigurationPropertyValueException("holdfast." + name, value, reason);
		}
	}

}
