package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

import io.holdfast.engine.LockStores;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Several independent masters, and connections to them that give up after a time.
 */
final class QuorumServers implements LockStores {

	private static final Duration LONG = Duration.ofSeconds(10);

	private final List<RedisProcess> servers;

	private final Duration nodeTimeout;

	private final Duration viewTimeout;

	private final BiFunction<Integer, Duration, RedisConnectionFactory> connect;

	private final List<RedisConnectionFactory> connections = new ArrayList<>();

	private final List<QuorumNode> nodes = new ArrayList<>();

	private final Queue<QuorumLockStore> stores = new ConcurrentLinkedQueue<>();

	private final List<QuorumServers> patient = new ArrayList<>();

	QuorumServers(int count, Duration nodeTimeout) {
		this(servers(count), nodeTimeout, QuorumView.TIMEOUT, QuorumServers::jedis);
	}

	private QuorumServers(List<RedisProcess> servers, Duration nodeTimeout, Duration viewTimeout,
			BiFunction<Integer, Duration, RedisConnectionFactory> connect) {
		this.servers = servers;
		this.nodeTimeout = nodeTimeout;
		this.viewTimeout = viewTimeout;
		this.connect = connect;
	}

	private static List<RedisProcess> servers(int count) {
		return Stream.generate(() -> new RedisProcess()).limit(count).toList();
	}

	private static RedisConnectionFactory jedis(int port, Duration timeout) {
		return Connections.jedis(port, 16, timeout);
	}

	/**
	 * Connect by Jedis to servers that are all sure to answer, however busy the machine
	 * is.
	 */
	static QuorumServers sure(int count) {
		return new QuorumServers(servers(count), LONG, LONG, QuorumServers::jedis);
	}

	static QuorumServers sureByLettuce(int count) {
		return new QuorumServers(servers(count), LONG, LONG, Connections::lettuce);
	}

	/**
	 * Return the same servers with other connections, which do not give up because the
	 * machine is busy.
	 */
	QuorumServers patient(Duration nodeTimeout) {
		QuorumServers same = new QuorumServers(this.servers, nodeTimeout, this.viewTimeout, this.connect);
		same.connect();
		this.patient.add(same);
		return same;
	}

	@Override
	public void start() {
		this.servers.forEach(RedisProcess::start);
		connect();
	}

	private void connect() {
		for (RedisProcess server : this.servers) {
			RedisConnectionFactory factory = this.connect.apply(server.port(), this.nodeTimeout);
			this.connections.add(factory);
			this.nodes.add(new QuorumNode("127.0.0.1:" + server.port(), factory));
		}
	}

	@Override
	public void close() {
		this.patient.forEach(QuorumServers::disconnect);
		disconnect();
		this.servers.forEach(RedisProcess::close);
		List.of(this.patient, this.connections, this.nodes, this.stores).forEach(Collection::clear);
	}

	private void disconnect() {
		this.stores.forEach(QuorumLockStore::close);
		this.connections.forEach(QuorumServers::disconnect);
	}

	private static void disconnect(RedisConnectionFactory factory) {
		try {
			((DisposableBean) factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	RedisProcess server(int index) {
		return this.servers.get(index);
	}

	List<RedisProcess> all() {
		return this.servers;
	}

	@Override
	public QuorumLockStore open(String instanceId) {
		return open(instanceId, this.servers.size() / 2 + 1);
	}

	QuorumLockStore open(String instanceId, int quorum) {
		return open(instanceId, quorum, this.nodes);
	}

	/**
	 * Create a store that is disturbed between the two rounds of its first attempt.
	 * @param disturbance what happens to each of the servers
	 */
	QuorumLockStore openDisturbed(String instanceId, Consumer<RedisProcess> disturbance, Integer... indexes) {
		Map<Integer, IntConsumer> beforeCalls = new HashMap<>();
		for (int index : indexes) {
			beforeCalls.put(index, (call) -> {
				if (call == 2) {
					disturbance.accept(this.servers.get(index));
				}
			});
		}
		return openDisturbed(instanceId, beforeCalls);
	}

	/**
	 * Create a store that is disturbed before each call.
	 * @param beforeCalls is told the number of each call of a node, the first being 1
	 */
	QuorumLockStore openDisturbed(String instanceId, Map<Integer, IntConsumer> beforeCalls) {
		List<QuorumNode> disturbed = new ArrayList<>(this.nodes);
		beforeCalls.forEach((index, beforeCall) -> disturbed.set(index, new QuorumNode(this.nodes.get(index).name(),
				DisturbedConnections.of(this.connections.get(index), beforeCall))));
		return open(instanceId, this.servers.size() / 2 + 1, disturbed);
	}

	private QuorumLockStore open(String instanceId, int quorum, List<QuorumNode> connected) {
		QuorumLockStore store = new QuorumLockStore(connected, "holdfast", Duration.ofHours(24), quorum,
				this.nodeTimeout, this.viewTimeout);
		this.stores.add(store);
		return store;
	}

	@Override
	public void takeAway(String key) {
		for (RedisProcess server : this.servers) {
			server.with((jedis) -> jedis.del("holdfast:{" + key + "}"));
		}
	}

	@Override
	public int keysAtOnce() {
		return 100;
	}

	/**
	 * A quorum of the queues is enough: a node that was slow may lack the holder, and
	 * then has nobody wait. Where the holder is, all are to be there, so that the next
	 * waiter comes behind them.
	 */
	@Override
	public boolean isQueued(String key, int waiters) {
		List<RedisProcess> queued = this.servers.stream().filter((server) -> waiters(server, key) == waiters).toList();
		return queued.size() > this.servers.size() / 2
				&& this.servers.stream().allMatch((server) -> queued.contains(server) || !isHeld(server, key));
	}

	private static boolean isHeld(RedisProcess server, String key) {
		return server.ask((jedis) -> jedis.exists("holdfast:{" + key + "}"));
	}

	private static long waiters(RedisProcess server, String key) {
		return server.ask((jedis) -> jedis.zcard("holdfast:{" + key + "}:queue"));
	}

}
