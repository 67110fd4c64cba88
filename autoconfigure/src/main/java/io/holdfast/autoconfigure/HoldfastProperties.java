package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.aop.LockDefaults;
import io.holdfast.engine.EngineSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.Ordered;

/**
 * Properties of Holdfast.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("holdfast")
public class HoldfastProperties {

	/**
	 * Whether locks are enabled. If not, annotated methods run without a lock, and there
	 * is no LockTemplate or LockRegistry bean.
	 */
	private boolean enabled = true;

	/**
	 * Whether other instances can see the application, host and process of this one, and
	 * notify it when they release one of its locks by force.
	 */
	private boolean announce = true;

	/**
	 * Where locks are kept: in Redis, or in the memory of this JVM for development and
	 * tests.
	 */
	private Store store = Store.REDIS;

	/**
	 * Prefix of every key and channel in Redis. Must not contain braces.
	 */
	private String keyPrefix = "holdfast";

	/**
	 * Time after which a lock expires unless its holder renews it.
	 */
	private Duration lease = Duration.ofSeconds(30);

	/**
	 * Longest time to wait for a lock, requests to Redis included. 0 tries once, -1 waits
	 * without limit.
	 */
	private Duration waitFor = Duration.ofSeconds(5);

	/**
	 * Whether leases are renewed while their holder lives, every third of the lease.
	 */
	private boolean autoRenew = true;

	/**
	 * Time after which a lease is no longer renewed, so that the lock expires. No limit
	 * if not set.
	 */
	private @Nullable Duration maxHold;

	/**
	 * Whether callers get a lock in the order in which they asked. A request can override
	 * it.
	 */
	private boolean fair;

	/**
	 * What to do when a lock is lost: throw a LockLostException after the guarded code,
	 * only log, or also interrupt the holder's thread.
	 */
	private OnLost onLost = OnLost.THROW;

	/**
	 * Whether a lock that the template or an annotated method acquires in a transaction
	 * is released only after the transaction has completed.
	 */
	private boolean releaseAfterTransaction = true;

	/**
	 * Maximum number of times in a row that a lock passes among the threads of this
	 * instance while others wait for it in Redis.
	 */
	private int localHandoffs = 16;

	/**
	 * Longest time for which a lock passes among the threads of this instance without a
	 * request to Redis. 0 sends a request each time.
	 */
	private Duration handoverCheck = Duration.ofMillis(50);

	/**
	 * How long this instance keeps a released lock for its next caller, unless another
	 * instance asks for it. 0 releases it at once.
	 */
	private Duration retain = Duration.ZERO;

	/**
	 * Maximum number of released locks that this instance keeps. Beyond that, it frees
	 * those with the least time left first.
	 */
	private int retainMax = 1000;

	/**
	 * How long Redis remembers the last fencing token of a key after its last use.
	 */
	private Duration tokenRetention = Duration.ofHours(24);

	/**
	 * How long a shutdown waits for work that holds locks, after the web server has
	 * stopped.
	 */
	private Duration shutdownGrace = Duration.ofSeconds(10);

	/**
	 * Time after which the log warns about a lock that is still held. No warning if not
	 * set.
	 */
	private @Nullable Duration warnHold;

	/**
	 * Time after which the log warns about a caller that still waits for a lock. No
	 * warning if not set.
	 */
	private @Nullable Duration warnWait;

	private final Aspect aspect = new Aspect();

	private final Redis redis = new Redis();

	private final Metrics metrics = new Metrics();

	/**
	 * Return the defaults for what annotations do not set.
	 */
	LockDefaults toLockDefaults() {
		return new LockDefaults(this.lease, this.waitFor, this.autoRenew, this.maxHold, this::obstacleToRetaining);
	}

	/**
	 * The store is not there yet when annotations are read.
	 */
	private @Nullable String obstacleToRetaining(LockRequest request) {
		String obstacle = toEngineSettings().obstacleToRetaining(request);
		if (obstacle != null) {
			return obstacle;
		}
		if (this.store == Store.REDIS && this.redis.getReplicaAcks() > 0) {
			return "'holdfast.redis.replica-acks'";
		}
		return this.redis.getNodes().isEmpty() ? null : "'holdfast.redis.nodes'";
	}

	EngineSettings toEngineSettings() {
		return new EngineSettings(() -> UUID.randomUUID().toString(), this.lease, this.waitFor, this.autoRenew,
				this.maxHold, this.fair, this.onLost, this.localHandoffs, this.handoverCheck, this.retain,
				this.retainMax);
	}

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public boolean isAnnounce() {
		return this.announce;
	}

	public void setAnnounce(boolean announce) {
		this.announce = announce;
	}

	public Store getStore() {
		return this.store;
	}

	public void setStore(Store store) {
		this.store = store;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public Duration getLease() {
		return this.lease;
	}

	public void setLease(Duration lease) {
		this.lease = lease;
	}

	public Duration getWaitFor() {
		return this.waitFor;
	}

	public void setWaitFor(Duration waitFor) {
		this.waitFor = waitFor;
	}

	public boolean isAutoRenew() {
		return this.autoRenew;
	}

	public void setAutoRenew(boolean autoRenew) {
		this.autoRenew = autoRenew;
	}

	public @Nullable Duration getMaxHold() {
		return this.maxHold;
	}

	public void setMaxHold(@Nullable Duration maxHold) {
		this.maxHold = maxHold;
	}

	public boolean isFair() {
		return this.fair;
	}

	public void setFair(boolean fair) {
		this.fair = fair;
	}

	public Duration getRetain() {
		return this.retain;
	}

	public void setRetain(Duration retain) {
		this.retain = retain;
	}

	public int getRetainMax() {
		return this.retainMax;
	}

	public void setRetainMax(int retainMax) {
		this.retainMax = retainMax;
	}

	public int getLocalHandoffs() {
		return this.localHandoffs;
	}

	public void setLocalHandoffs(int localHandoffs) {
		this.localHandoffs = localHandoffs;
	}

	public Duration getHandoverCheck() {
		return this.handoverCheck;
	}

	public void setHandoverCheck(Duration handoverCheck) {
		this.handoverCheck = handoverCheck;
	}

	public OnLost getOnLost() {
		return this.onLost;
	}

	public void setOnLost(OnLost onLost) {
		this.onLost = onLost;
	}

	public boolean isReleaseAfterTransaction() {
		return this.releaseAfterTransaction;
	}

	public void setReleaseAfterTransaction(boolean releaseAfterTransaction) {
		this.releaseAfterTransaction = releaseAfterTransaction;
	}

	public Duration getTokenRetention() {
		return this.tokenRetention;
	}

	public void setTokenRetention(Duration tokenRetention) {
		this.tokenRetention = tokenRetention;
	}

	public Duration getShutdownGrace() {
		return this.shutdownGrace;
	}

	public void setShutdownGrace(Duration shutdownGrace) {
		this.shutdownGrace = shutdownGrace;
	}

	public @Nullable Duration getWarnHold() {
		return this.warnHold;
	}

	public void setWarnHold(@Nullable Duration warnHold) {
		this.warnHold = warnHold;
	}

	public @Nullable Duration getWarnWait() {
		return this.warnWait;
	}

	public void setWarnWait(@Nullable Duration warnWait) {
		this.warnWait = warnWait;
	}

	public Aspect getAspect() {
		return this.aspect;
	}

	public Redis getRedis() {
		return this.redis;
	}

	public Metrics getMetrics() {
		return this.metrics;
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
		 * In memory: locks work only inside this JVM.
		 */
		LOCAL

	}

	/**
	 * How annotated methods are found and intercepted.
	 */
	public static class Aspect {

		static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

		/**
		 * Order of the lock advice; lower runs further outside. Must be outside the
		 * transaction advice, so that transactions commit before the release.
		 */
		private int order = DEFAULT_ORDER;

		/**
		 * How calls of annotated methods are intercepted: by proxies, or by AspectJ
		 * load-time weaving, which needs its agent.
		 */
		private Mode mode = Mode.PROXY;

		public int getOrder() {
			return this.order;
		}

		public void setOrder(int order) {
			this.order = order;
		}

		public Mode getMode() {
			return this.mode;
		}

		public void setMode(Mode mode) {
			this.mode = mode;
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
			 * By code that AspectJ weaves into the class as it is loaded: needs
			 * -javaagent with aspectjweaver.
			 */
			ASPECTJ

		}

	}

	/**
	 * Redis servers that keep locks, and connections to them.
	 */
	public static class Redis {

		/**
		 * URLs of independent masters that grant locks by quorum, instead of
		 * spring.data.redis.*: redis:// or rediss://, user:password@host:port/database.
		 */
		private List<String> nodes = new ArrayList<>();

		/**
		 * How many nodes must grant a lock: a majority of at least 3, or all of at least
		 * 2.
		 */
		private Quorum quorum = Quorum.MAJORITY;

		/**
		 * Longest time to wait for an answer from a node. Must be less than a third of
		 * the lease.
		 */
		private Duration nodeTimeout = Duration.ofMillis(50);

		/**
		 * How many replicas must confirm a lock before it counts. Not supported with a
		 * Cluster or independent masters.
		 */
		private int replicaAcks;

		/**
		 * Longest time to wait for replicas to confirm a lock. Must be less than the
		 * lease.
		 */
		private Duration replicaAckTimeout = Duration.ofMillis(100);

		private final Pool pool = new Pool();

		private final Ssl ssl = new Ssl();

		public List<String> getNodes() {
			return this.nodes;
		}

		public void setNodes(List<String> nodes) {
			this.nodes = nodes;
		}

		public int getReplicaAcks() {
			return this.replicaAcks;
		}

		public void setReplicaAcks(int replicaAcks) {
			this.replicaAcks = replicaAcks;
		}

		public Quorum getQuorum() {
			return this.quorum;
		}

		public void setQuorum(Quorum quorum) {
			this.quorum = quorum;
		}

		public Duration getNodeTimeout() {
			return this.nodeTimeout;
		}

		public void setNodeTimeout(Duration nodeTimeout) {
			this.nodeTimeout = nodeTimeout;
		}

		public Duration getReplicaAckTimeout() {
			return this.replicaAckTimeout;
		}

		public void setReplicaAckTimeout(Duration replicaAckTimeout) {
			this.replicaAckTimeout = replicaAckTimeout;
		}

		public Pool getPool() {
			return this.pool;
		}

		public Ssl getSsl() {
			return this.ssl;
		}

		/**
		 * Connections of Jedis that only locks use.
		 */
		public static class Pool {

			/**
			 * Maximum number of connections for locks to each server, with Jedis. One
			 * receives notifications; some are reserved to renew and release.
			 */
			private int maxActive = 8;

			public int getMaxActive() {
				return this.maxActive;
			}

			public void setMaxActive(int maxActive) {
				this.maxActive = maxActive;
			}

		}

		/**
		 * TLS between locks and the nodes.
		 */
		public static class Ssl {

			/**
			 * Name of the SSL bundle (spring.ssl.bundle.*) for the nodes. If not set, the
			 * JVM's default trust store applies.
			 */
			private @Nullable String bundle;

			public @Nullable String getBundle() {
				return this.bundle;
			}

			public void setBundle(@Nullable String bundle) {
				this.bundle = bundle;
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
	 */
	public static class Metrics {

		/**
		 * Maximum number of lock names that metrics use as a tag; later ones are counted
		 * as "other". 0 for no names.
		 */
		private int maxNames = 100;

		public int getMaxNames() {
			return this.maxNames;
		}

		public void setMaxNames(int maxNames) {
			this.maxNames = maxNames;
		}

	}

}
