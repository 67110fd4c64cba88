package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.OnLost;
import io.holdfast.aop.LockDefaults;
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
	 * Whether to set up locks. If not, annotated methods run without a lock, and there is
	 * no LockTemplate or LockRegistry to inject.
	 */
	private boolean enabled = true;

	/**
	 * Whether other instances can see who this one is and which of its threads hold
	 * locks, and tell it of locks released by force.
	 */
	private boolean announce = true;

	/**
	 * Where locks are kept: in Redis, or in memory, where they exclude inside this JVM
	 * only, for development and tests.
	 */
	private Store store = Store.REDIS;

	/**
	 * What every key and channel in Redis starts with; without braces.
	 */
	private String keyPrefix = "holdfast";

	/**
	 * Time a lock outlives its holder's last sign of life.
	 */
	private Duration lease = Duration.ofSeconds(30);

	/**
	 * Longest wait for a lock, with all that is done meanwhile; 0 for one try, -1 for no
	 * limit.
	 */
	private Duration waitFor = Duration.ofSeconds(5);

	/**
	 * Whether leases are renewed while their holder lives, every third of the lease.
	 */
	private boolean autoRenew = true;

	/**
	 * Time after which a lease is no longer renewed, so that the lock is lost; unlimited
	 * when not set.
	 */
	private @Nullable Duration maxHold;

	/**
	 * Whether waiters get a lock in the order in which they asked, unless a request says
	 * otherwise.
	 */
	private boolean fair;

	/**
	 * What to do when a lock is lost: throw a LockLostException after the guarded code,
	 * log it, or also interrupt the holder.
	 */
	private OnLost onLost = OnLost.THROW;

	/**
	 * Whether a lock that the template or an annotated method takes in a transaction is
	 * released only after that has completed.
	 */
	private boolean releaseAfterTransaction = true;

	/**
	 * How many times in a row a lock may pass among the threads of this instance while
	 * others wait for it in Redis.
	 */
	private int localHandoffs = 16;

	/**
	 * Longest time for which a lock passes among the threads of one instance without
	 * asking Redis; 0 to ask each time.
	 */
	private Duration handoverCheck = Duration.ofMillis(50);

	/**
	 * How long a released lock stays with this instance for its next caller, unless
	 * another instance asks for it; 0 to release it.
	 */
	private Duration retain = Duration.ZERO;

	/**
	 * How many released locks stay with this instance at most; those whose time is over
	 * first go first.
	 */
	private int retainMax = 1000;

	/**
	 * How long a key's last fencing token is remembered after use.
	 */
	private Duration tokenRetention = Duration.ofHours(24);

	/**
	 * How long a shutdown waits for held locks before it takes them back, after the grace
	 * of the web server.
	 */
	private Duration shutdownGrace = Duration.ofSeconds(10);

	/**
	 * Time after which the log warns of a lock that is still held; never when not set.
	 */
	private @Nullable Duration warnHold;

	/**
	 * Time after which the log warns of a caller that still waits for a lock; never when
	 * not set.
	 */
	private @Nullable Duration warnWait;

	/**
	 * Whether to look for owners that wait for each other's locks, and warn of them in
	 * the log.
	 */
	private boolean deadlockDetection;

	private final Aspect aspect = new Aspect();

	private final Redis redis = new Redis();

	private final Metrics metrics = new Metrics();

	/**
	 * Return what annotations leave open.
	 */
	LockDefaults toLockDefaults() {
		return new LockDefaults(this.lease, this.waitFor, this.autoRenew, this.maxHold);
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

	public boolean isDeadlockDetection() {
		return this.deadlockDetection;
	}

	public void setDeadlockDetection(boolean deadlockDetection) {
		this.deadlockDetection = deadlockDetection;
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
		 * In Redis: locks exclude between all instances.
		 */
		REDIS,

		/**
		 * In memory: locks exclude only inside this JVM.
		 */
		LOCAL

	}

	/**
	 * How annotated methods are found and intercepted.
	 */
	public static class Aspect {

		static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

		/**
		 * Order of the lock among other advice of a proxy; lower is further outside. Must
		 * be outside transactions, to commit before the release.
		 */
		private int order = DEFAULT_ORDER;

		/**
		 * How calls of annotated methods are intercepted: by proxies around beans, or by
		 * code that AspectJ weaves into classes, which needs its agent.
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
			 * By code that AspectJ weaves into the class, when that is loaded: needs
			 * -javaagent with aspectjweaver.
			 */
			ASPECTJ

		}

	}

	/**
	 * Locks on several Redis servers.
	 */
	public static class Redis {

		/**
		 * URLs of independent masters that decide together about locks, in place of the
		 * Redis of spring.data.redis.*: redis:// or rediss://,
		 * user:password@host:port/database.
		 */
		private List<String> nodes = new ArrayList<>();

		/**
		 * How many of the nodes have to agree on a lock: more than half of at least 3, or
		 * all of at least 2.
		 */
		private Quorum quorum = Quorum.MAJORITY;

		/**
		 * Longest wait for a node that does not answer; less than a third of the lease.
		 */
		private Duration nodeTimeout = Duration.ofMillis(50);

		/**
		 * How many replicas must have a grant before it counts; not with a Cluster or
		 * independent masters.
		 */
		private int replicaAcks;

		/**
		 * Longest wait for replicas to have a grant; less than the lease.
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
			 * Most connections to a server for locks, with Jedis: one listens, and two
			 * are left to renew and release.
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
			 * Name of the SSL bundle (spring.ssl.bundle.*) with the certificates for the
			 * nodes; without one, the JVM decides whom to trust.
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
			MAJORITY {

				@Override
				int of(int nodes) {
					return nodes / 2 + 1;
				}

			},

			/**
			 * All of them.
			 */
			ALL {

				@Override
				int of(int nodes) {
					return nodes;
				}

			};

			abstract int of(int nodes);

		}

	}

	/**
	 * What is measured.
	 */
	public static class Metrics {

		/**
		 * How many names of locks metrics are tagged with, zero for none; what comes
		 * later is counted as "other".
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
