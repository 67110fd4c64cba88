package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.holdfast.OnLost;
import io.holdfast.aop.LockDefaults;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.OwnerId;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;
import org.springframework.util.StringUtils;
import org.springframework.core.env.Environment;

/**
 * Properties of Holdfast.
 *
 * @param enabled Whether locks are enabled. If not, annotated methods run without a lock,
 * and there is no LockTemplate or LockRegistry bean.
 * @param announce Whether the id of this instance in Redis and in messages names its
 * application, host and process.
 * @param store Where locks are kept: Redis, a database (also if not set, with
 * holdfast-jdbc and without a Redis client), or, for tests, the memory of this JVM.
 * @param keyPrefix Prefix of every key and channel in Redis. Must not contain braces.
 * @param lease Time after which a lock expires unless its holder renews it.
 * @param waitFor Longest time to wait for a lock; the last request to Redis may take the
 * client's timeout longer. 0 tries once, -1 waits without limit.
 * @param autoRenew Whether leases are renewed while their holder lives, every third of
 * the lease.
 * @param maxHold Time after which a lease is no longer renewed, so that the lock expires.
 * No limit if not set.
 * @param fair Whether callers get a lock of one key in the order in which they asked. A
 * request can override it.
 * @param onLost What to do when a lock is lost: throw a LockLostException after the
 * guarded code, only log, or also interrupt the holder's thread.
 * @param releaseAfterTransaction Whether a lock that the template or an annotated method
 * acquires in a transaction is released only after the transaction has completed.
 * @param localHandoffs Maximum number of times in a row that a lock passes among the
 * threads of this instance while others wait for it in Redis.
 * @param handoverCheck Longest time for which a lock passes among the threads of this
 * instance without a request to Redis. 0 sends a request each time.
 * @param tokenRetention How long Redis remembers the last fencing token of a key after
 * its last use.
 * @param shutdownGrace How long a shutdown waits for work that holds locks, after the web
 * server has stopped.
 * @param warnHold Time after which the log warns about a lock that is still held. No
 * warning if not set.
 * @param warnWait Time after which the log warns about a caller that still waits for a
 * lock. No warning if not set.
 * @param aspect How calls of annotated methods are intercepted.
 * @param redis Redis servers that keep locks, and connections to them.
 * @param metrics Metrics of locks.
 * @param shedlock Locks of ShedLock.
 * @since 0.1.0
 */
@ConfigurationProperties("holdfast")
public record HoldfastProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean announce,
		@DefaultValue("redis") Store store, @DefaultValue("holdfast") String keyPrefix,
		@DefaultValue("30s") Duration lease, @DefaultValue("5s") Duration waitFor,
		@DefaultValue("true") boolean autoRenew, @Nullable Duration maxHold, boolean fair,
		@DefaultValue("throw") OnLost onLost, @DefaultValue("true") boolean releaseAfterTransaction,
		@DefaultValue("16") int localHandoffs, @DefaultValue("50ms") Duration handoverCheck,
		@DefaultValue("24h") Duration tokenRetention, @DefaultValue("10s") Duration shutdownGrace,
		@Nullable Duration warnHold, @Nullable Duration warnWait, @DefaultValue Aspect aspect,
		@DefaultValue Redis redis, @DefaultValue Metrics metrics, @DefaultValue Shedlock shedlock) {

	static final String ENABLED = "holdfast.enabled";

	static final String APPLICATION = "spring.application.name";

	LockDefaults toLockDefaults(Environment environment) {
		return new LockDefaults(this.lease, this.waitFor, this.autoRenew, this.maxHold, this.redis.nodes().isEmpty(),
				OwnerId.applicationName(environment.getProperty(APPLICATION)));
	}

	/**
	 * Return these properties as the engine has them, for an instance of its own.
	 * @param application the name of the application, or {@code null} if it has none
	 * @return the settings
	 */
	public EngineSettings toEngineSettings(@Nullable String application) {
		return new EngineSettings(() -> this.announce ? OwnerId.newInstance(application) : OwnerId.newInstance(),
				this.lease, this.waitFor, this.autoRenew, this.maxHold, this.fair, this.onLost, this.localHandoffs,
				this.handoverCheck, this.warnHold, this.warnWait);
	}

	/**
	 * Where locks are kept.
	 */
	public enum Store {

		/**
		 * In Redis: locks work across all instances.
		 */
		REDIS,

		/**
		 * In a database of the application, with the module holdfast-jdbc: locks work
		 * across all instances.
		 */
		JDBC,

		/**
		 * In memory: locks work only inside this JVM.
		 */
		LOCAL

	}

	/**
	 * How annotated methods are found and intercepted.
	 *
	 * @param order Order of the lock advice; lower runs further outside. Must be outside
	 * the transaction advice, so that transactions commit before the release.
	 * @param mode How calls of annotated methods are intercepted: by proxies, or by code
	 * that AspectJ weaves in when classes are loaded, or compiled.
	 */
	public record Aspect(@DefaultValue("" + Aspect.DEFAULT_ORDER) int order, @DefaultValue("proxy") Mode mode) {

		static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

		static boolean isWoven(Environment environment) {
			return Binder.get(environment).bind("holdfast.aspect.mode", Mode.class).orElse(Mode.PROXY) == Mode.ASPECTJ;
		}

		/**
		 * How calls of annotated methods are intercepted.
		 */
		public enum Mode {

			/**
			 * By a proxy around the bean.
			 */
			PROXY,

			/**
			 * By code that AspectJ weaves into the class: as it is loaded, with
			 * -javaagent, or as it is compiled.
			 */
			ASPECTJ

		}

	}

	/**
	 * Redis servers that keep locks, and connections to them.
	 *
	 * @param connectionFactory Name of the RedisConnectionFactory bean that leads to the
	 * Redis with the locks. If not set, the bean with @HoldfastRedis, or else the primary
	 * one.
	 * @param nodes URLs of independent masters that grant locks by quorum, instead of
	 * spring.data.redis.*: redis:// or rediss://, user:password@host:port/database.
	 * @param quorum How many nodes must grant a lock: a majority of at least 3, or all of
	 * at least 2.
	 * @param nodeTimeout Longest time to wait for an answer from a node. Must be less
	 * than a third of the lease.
	 * @param replicaAcks How many replicas must confirm a lock before it counts. Not
	 * supported with a Cluster or independent masters.
	 * @param replicaAckTimeout Longest time to wait for replicas to confirm a lock. Must
	 * be less than the lease, and than the client's timeout.
	 * @param pool Connections of Jedis that only locks use.
	 * @param ssl TLS between locks and the nodes.
	 */
	public record Redis(@Nullable String connectionFactory, @DefaultValue List<String> nodes,
			@DefaultValue("majority") Quorum quorum, @DefaultValue("50ms") Duration nodeTimeout, int replicaAcks,
			@DefaultValue("100ms") Duration replicaAckTimeout, @DefaultValue Pool pool, @DefaultValue Ssl ssl) {

		public Redis {
			connectionFactory = StringUtils.hasText(connectionFactory) ? connectionFactory : null;
		}

		// URLs of nodes may have passwords in them
		@Override
		public String toString() {
			return "%s of %d nodes, %d replicas".formatted(this.quorum, this.nodes.size(), this.replicaAcks);
		}

		/**
		 * Connections of Jedis that only locks use.
		 *
		 * @param maxActive Maximum number of connections for locks to each server, with
		 * Jedis. One receives notifications; some are reserved to renew and release.
		 */
		public record Pool(@DefaultValue("8") int maxActive) {
		}

		/**
		 * TLS between locks and the nodes.
		 *
		 * @param bundle Name of the SSL bundle (spring.ssl.bundle.*) for the nodes. If
		 * not set, the JVM's default trust store applies.
		 */
		public record Ssl(@Nullable String bundle) {

			public Ssl {
				bundle = StringUtils.hasText(bundle) ? bundle : null;
			}

		}

		/**
		 * How many nodes have to agree on a lock.
		 */
		public enum Quorum {

			/**
			 * More than half of them.
			 */
			MAJORITY,

			/**
			 * All of them.
			 */
			ALL

		}

	}

	/**
	 * Metrics of locks.
	 *
	 * @param maxNames Maximum number of lock names that metrics use as a tag; later ones
	 * are counted as "other". 0 for no names.
	 */
	public record Metrics(@DefaultValue("100") int maxNames) {
	}

	/**
	 * Locks of ShedLock.
	 *
	 * @param renew Whether a lock is renewed while its task runs. If not, it is lost
	 * after lockAtMostFor.
	 */
	public record Shedlock(boolean renew) {
	}

}
