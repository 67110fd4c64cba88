package io.holdfast.redis.connection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.holdfast.redis.connection.JedisServer.Lent;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.IOUtils;
import redis.clients.jedis.util.JedisClusterCRC16;
import redis.clients.jedis.util.Pool;
import redis.clients.jedis.util.SafeEncoder;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;

/**
 * Sends each request to the server that it is for. In a Cluster, a command that a node
 * redirects is sent to the named node. A command that may have been carried out is never
 * repeated, unlike with Jedis' own executor.
 */
final class JedisServers implements LockServers, CommandExecutor {

	private static final int SLOTS = 16_384;

	private final JedisSettings settings;

	private final ConnectionProvider connections;

	private final int mostIdle;

	private final JedisServer server;

	private @Nullable UnifiedJedis jedis;

	private final Map<HostAndPort, JedisServer> nodes = new ConcurrentHashMap<>();

	private final RateLimit slotRenewals = new RateLimit(LEAVING_PAUSE);

	JedisServers(JedisSettings settings, ConnectionProvider connections, int mostIdle) {
		this.settings = settings;
		this.connections = connections;
		this.mostIdle = mostIdle;
		this.server = new JedisServer(null, this::pool, mostIdle);
	}

	static JedisServers of(JedisSettings settings, GenericObjectPoolConfig<Connection> pool) {
		AtomicReference<@Nullable JedisServers> made = new AtomicReference<>();
		UnifiedJedis jedis = settings.client(pool, (connections) -> {
			made.set(new JedisServers(settings, connections, pool.getMaxIdle()));
			return Objects.requireNonNull(made.get());
		});
		JedisServers servers = Objects.requireNonNull(made.get());
		servers.jedis = jedis;
		return servers;
	}

	private @Nullable Pool<Connection> pool() {
		if (this.connections instanceof SentineledConnectionProvider master) {
			return master.getConnectionMap().values().iterator().next();
		}
		return (this.connections instanceof PooledConnectionProvider one) ? one.getPool() : null;
	}

	/**
	 * Redis refuses keys of several slots.
	 */
	@Override
	public <T> T executeCommand(CommandObject<T> command) {
		List<Object> keys = command.getArguments().getKeys();
		byte[] key = keys.isEmpty() ? null
				: (keys.get(0) instanceof byte[] bytes) ? bytes : SafeEncoder.encode(keys.get(0).toString());
		return ask(key, true, (connection) -> ((Lent) connection).allowed().executeCommand(command));
	}

	@Override
	public <T extends @Nullable Object> T ask(byte @Nullable [] key, boolean interruptible,
			Function<LockConnection, T> question) {
		return (this.connections instanceof ClusterConnectionProvider cluster)
				? ask(cluster, slot(key), interruptible, question)
				: this.server.borrow(false, interruptible, this.connections::getConnection).ask(question);
	}

	private static int slot(byte @Nullable [] key) {
		return (key != null) ? JedisClusterCRC16.getSlot(key) : ThreadLocalRandom.current().nextInt(SLOTS);
	}

	private <T extends @Nullable Object> T ask(ClusterConnectionProvider cluster, int slot, boolean interruptible,
			Function<LockConnection, T> question) {
		JedisRedirectionException redirection = null;
		for (int i = 0; i <= this.settings.mostRedirections(); i++) {
			Lent lent = (redirection != null) ? borrow(cluster, redirection.getTargetNode(),
					redirection instanceof JedisAskDataException, interruptible)
					: connect(cluster, slot, interruptible);
			try {
				return lent.ask(question);
			}
			catch (JedisRedirectionException ex) {
				if (ex instanceof JedisMovedDataException) {
					renewSlots(cluster, ex.getTargetNode(), null);
				}
				redirection = ex;
			}
			catch (JedisConnectionException ex) {
				if (RedisFailures.isClosed(ex)) {
					// A request for keys on several nodes is made again once, not for
					// each
					nodes(cluster).forEach((node) -> server(cluster, node).closeIdle());
				}
				renewSlots(cluster, null, lent.server().address());
				throw ex;
			}
			catch (JedisDataException ex) {
				if (RedisFailures.isNotMaster(ex)) {
					renewSlots(cluster, null, lent.server().address());
				}
				throw ex;
			}
		}
		throw new JedisClusterOperationException("Too many redirections", redirection);
	}

	// Connect to the node that has a slot. If that fails, nothing has been sent, and
	// another node may have taken its place.
	private Lent connect(ClusterConnectionProvider cluster, int slot, boolean interruptible) {
		HostAndPort node = nodeOf(slot);
		try {
			return borrow(cluster, node, false, interruptible);
		}
		catch (JedisConnectionException ex) {
			if (RedisFailures.isInterrupt(ex)) {
				throw ex;
			}
			renewSlots(cluster, null, node);
			HostAndPort present = nodeOf(slot);
			if (present.equals(node)) {
				throw ex;
			}
			return borrow(cluster, present, false, interruptible);
		}
	}

	private Lent borrow(ClusterConnectionProvider cluster, HostAndPort node, boolean asking, boolean interruptible) {
		return server(cluster, node).borrow(asking, interruptible, () -> cluster.getConnection(node));
	}

	private JedisServer server(ClusterConnectionProvider cluster, HostAndPort node) {
		return this.nodes.computeIfAbsent(node,
				(address) -> new JedisServer(address, () -> cluster.getNodes().get(address.toString()), this.mostIdle));
	}

	private static List<HostAndPort> nodes(ClusterConnectionProvider cluster) {
		return cluster.getNodes().keySet().stream().map(HostAndPort::from).toList();
	}

	private HostAndPort nodeOf(int slot) {
		ClusterConnectionProvider cluster = (ClusterConnectionProvider) this.connections;
		HostAndPort node = cluster.getNode(slot);
		if (node == null) {
			renewSlots(cluster, null, null);
			node = cluster.getNode(slot);
		}
		if (node == null) {
			throw new JedisClusterOperationException("No node of the Cluster has slot " + slot);
		}
		return node;
	}

	// Ask a node who has the slots: one that has just named another, or any but one that
	// has failed. Jedis would ask the first one each time, over a new connection, and it
	// may be cut off from the Cluster.
	private void renewSlots(ClusterConnectionProvider cluster, @Nullable HostAndPort knows,
			@Nullable HostAndPort failed) {
		if (!this.slotRenewals.tryAcquire()) {
			return;
		}
		List<HostAndPort> asked = new ArrayList<>(nodes(cluster));
		asked.remove(failed);
		Collections.shuffle(asked);
		if (knows != null) {
			asked.add(0, knows);
		}
		if (asked.stream().noneMatch((node) -> tellsSlots(cluster, node))) {
			cluster.renewSlotCache();
		}
		this.nodes.keySet().retainAll(nodes(cluster));
	}

	private boolean tellsSlots(ClusterConnectionProvider cluster, HostAndPort node) {
		try {
			Lent lent = borrow(cluster, node, false, false);
			return lent.ask((connection) -> {
				cluster.renewSlotCache(lent.connection());
				return true;
			});
		}
		catch (JedisException ex) {
			return false;
		}
	}

	@Override
	public RedisConnection connection() {
		UnifiedJedis client = Objects.requireNonNull(this.jedis);
		return (client instanceof RedisClusterClient cluster) ? new JedisClusterConnection(cluster)
				: new JedisConnection(client);
	}

	/**
	 * With a connection of the pool, an error that hits the subscribed thread would leave
	 * it subscribed.
	 */
	@Override
	public RedisConnection subscriptionConnection() {
		JedisClientConfig listening = DefaultJedisClientConfig.builder()
			.from(this.settings.config())
			.blockingSocketTimeoutMillis(Math.toIntExact(LockConnectionFactory.LONGEST_SILENCE.toMillis()))
			.build();
		GenericObjectPoolConfig<Connection> noPool = new GenericObjectPoolConfig<>();
		noPool.setMaxIdle(0);
		noPool.setJmxEnabled(false);
		// One that Jedis creates by itself would be known to a manager of credentials for
		// ever
		ConnectionProvider listener = new PooledConnectionProvider(new ConnectionFactory(publisher(), listening),
				noPool);
		return new JedisConnection(RedisClient.builder().clientConfig(listening).connectionProvider(listener).build());
	}

	// Return a server whose subscribers receive what is published
	private HostAndPort publisher() {
		if (this.connections instanceof ClusterConnectionProvider) {
			return nodeOf(slot(null));
		}
		return (this.connections instanceof SentineledConnectionProvider sentinels) ? sentinels.getCurrentMaster()
				: this.settings.address();
	}

	@Override
	public void close() {
		IOUtils.closeQuietly(this.connections);
	}

}
