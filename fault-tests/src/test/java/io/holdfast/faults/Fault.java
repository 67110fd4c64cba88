package io.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.holdfast.faults.history.Promise;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Signals;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.ClientKillParams;

/**
 * Something that happens to servers or workers, and is over some time later. Short is
 * less than what is left of each lease while it is renewed, long is more than a lease.
 */
enum Fault {

	/** {@code SIGSTOP} for less than a lease. */
	FROZEN_SHORTLY(Promise.NOTHING_LOST, (server, random) -> freeze(server, between(random, 200, 600))),

	/** {@code SIGSTOP} for more than a lease. */
	FROZEN_FOR_LONG(Promise.LOSSES_TOLD, (server, random) -> freeze(server, longTime(random))),

	/** {@code kill -9}, and a start without what it knew. */
	RESTARTED_EMPTY(Promise.GRANTS_FORGOTTEN, (server, random) -> {
		server.kill();
		server.wipe();
		last(between(random, 0, 200));
		server.start();
	}),

	/** {@code kill -9}, and a start with what it had written to its file. */
	RESTARTED_WITH_FILE(Promise.NOTHING_LOST, (server, random) -> {
		server.kill();
		last(between(random, 0, 200));
		server.start();
	}),

	/** {@code CLIENT KILL} of all connections but those of subscribers and replicas. */
	CONNECTIONS_KILLED(Promise.NOTHING_LOST,
			(server, random) -> again(random, 5, 200,
					() -> command(server, Protocol.Command.CLIENT, "KILL", "TYPE", "normal"))),

	/**
	 * {@code CLIENT KILL} of all subscribers but Sentinels, which would take a master for
	 * dead that does not answer them.
	 */
	SUBSCRIPTIONS_KILLED(Promise.NOTHING_LOST,
			(server, random) -> again(random, 5, 200, () -> killSubscriptions(server))),

	/** {@code SCRIPT FLUSH}. */
	SCRIPTS_FLUSHED(Promise.NOTHING_LOST,
			(server, random) -> again(random, 20, 50, () -> command(server, Protocol.Command.SCRIPT, "FLUSH"))),

	/** {@code CLIENT PAUSE ALL} for less than a lease. */
	CLIENTS_PAUSED(Promise.NOTHING_LOST, (server, random) -> pause(server, random, "ALL")),

	/** {@code CLIENT PAUSE WRITE} for less than a lease. */
	WRITERS_PAUSED(Promise.NOTHING_LOST, (server, random) -> pause(server, random, "WRITE")),

	/** {@code DEBUG SLEEP} for less than a lease: a command that takes long. */
	ASLEEP(Promise.NOTHING_LOST,
			(server, random) -> command(server, "DEBUG"::getBytes, "SLEEP",
					Double.toString(between(random, 200, 600).toMillis() / 1000.0))),

	/** {@code maxmemory} is reached: what takes memory is refused. */
	OUT_OF_MEMORY(Promise.NOTHING_LOST, (server, random) -> {
		command(server, Protocol.Command.CONFIG, "SET", "maxmemory", "1");
		last(between(random, 200, 600));
		command(server, Protocol.Command.CONFIG, "SET", "maxmemory", "0");
	}),

	/** The server becomes a replica of one that is not there: it refuses writes. */
	READ_ONLY(Promise.NOTHING_LOST, (server, random) -> {
		command(server, Protocol.Command.REPLICAOF, "127.0.0.1", "1");
		last(between(random, 200, 600));
		command(server, Protocol.Command.REPLICAOF, "NO", "ONE");
	}),

	/** See {@link Sentinels#killMaster}. */
	MASTER_KILLED(Promise.GRANTS_FORGOTTEN, (bench, index, random) -> failOver(bench, 0, Sentinels::killMaster)),

	/** See {@link Sentinels#freezeMaster}. */
	MASTER_FROZEN(Promise.TWO_MASTERS, (bench, index, random) -> failOver(bench, 0, Sentinels::freezeMaster)),

	/**
	 * The same, where a master without a replica refuses writes
	 * ({@code min-replicas-to-write}), so that there are no two for long.
	 */
	MASTER_FROZEN_THAT_NEEDS_A_REPLICA(Promise.GRANTS_FORGOTTEN,
			(bench, index, random) -> failOver(bench, 1, Sentinels::freezeMaster)),

	/** See {@link Sentinels#askForFailover}. */
	FAILOVER_ASKED_FOR(Promise.TWO_MASTERS, (bench, index, random) -> failOver(bench, 0, Sentinels::askForFailover)),

	/** See {@link Cluster#killMaster}. */
	CLUSTER_MASTER_KILLED(Promise.GRANTS_FORGOTTEN, List.of("long-1", "long-2"),
			(cluster, key, random) -> cluster.killMaster(cluster.masterOf(key))),

	/** See {@link Cluster#askForFailover}. */
	CLUSTER_FAILOVER_ASKED_FOR(Promise.GRANTS_FORGOTTEN, List.of("long-1", "long-2"),
			(cluster, key, random) -> cluster.askForFailover(cluster.masterOf(key))),

	/** See {@link Cluster#moveSlot}. */
	SLOT_MOVED(Promise.NOTHING_LOST, List.of("long-1", "long-2"),
			(cluster, key, random) -> cluster.moveSlot(key, cluster.masterOf(key), random)),

	/** The same with a lock that many want. */
	BUSY_SLOT_MOVED(Promise.NOTHING_LOST, List.of("hot", "warm"),
			(cluster, key, random) -> cluster.moveSlot(key, cluster.masterOf(key), random)),

	/** {@code kill -9}. */
	WORKER_KILLED(Promise.NOTHING_LOST, (bench, index, random) -> {
		WorkerJvm worker = bench.team().any(random);
		worker.kill();
		return worker.name();
	}),

	/** {@code SIGSTOP} for longer than a lease, then {@code SIGCONT}. */
	WORKER_FROZEN(Promise.LOSSES_TOLD, (bench, index, random) -> {
		WorkerJvm worker = bench.team().any(random);
		Signals.stop(worker.process());
		last(longTime(random));
		Signals.goOn(worker.process());
		return worker.name();
	}),

	/** What a worker that is different from others does all the time. */
	NONE(Promise.NOTHING_LOST, (bench, index, random) -> {
		last(Duration.ofSeconds(3));
		return "3 seconds";
	}),

	/** The wall clock of a worker is off by days, and then right again. */
	CLOCK_JUMPS(Promise.NOTHING_LOST, (bench, index, random) -> bench.clock().jump());

	final Promise promise;

	private final Action action;

	Fault(Promise promise, Action action) {
		this.promise = promise;
		this.action = action;
	}

	Fault(Promise promise, ServerAction action) {
		this(promise, (bench, index, random) -> {
			RedisProcess server = bench.deployment().server(index);
			action.strike(server, random);
			return "port " + server.port();
		});
	}

	/**
	 * Create what happens to a Cluster.
	 * @param keys locks, of one of which the master is struck
	 */
	Fault(Promise promise, List<String> keys, ClusterAction action) {
		this(promise, (bench, index, random) -> {
			Cluster cluster = (Cluster) bench.deployment();
			String key = keys.get(random.nextInt(keys.size()));
			action.strike(cluster, key, random);
			cluster.awaitWell();
			return key;
		});
	}

	boolean isFailover() {
		return compareTo(MASTER_KILLED) >= 0 && compareTo(FAILOVER_ASKED_FOR) <= 0;
	}

	/**
	 * Return whether it happens to a server that others rely on.
	 */
	boolean isOfServer() {
		return compareTo(MASTER_KILLED) < 0;
	}

	/**
	 * Let it happen, and return when it is over.
	 * @param index to which of several servers
	 * @param random what is not certain is drawn from these
	 * @return what has happened
	 */
	String strike(Bench bench, int index, Random random) throws Exception {
		long start = System.nanoTime();
		String what = this.action.strike(bench, index, random);
		return "%s (%s) in %d ms".formatted(this, what, Duration.ofNanos(System.nanoTime() - start).toMillis());
	}

	/**
	 * Let time pass: for as long as a fault is to last, not to wait for something.
	 */
	static void last(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static Duration between(Random random, Duration from, Duration to) {
		return between(random, (int) from.toMillis(), (int) to.toMillis());
	}

	private static Duration between(Random random, int from, int to) {
		return Duration.ofMillis(from + random.nextInt(to - from + 1));
	}

	private static Duration longTime(Random random) {
		return Bench.LEASE.plus(between(random, 300, 1500));
	}

	private static void freeze(RedisProcess server, Duration time) {
		server.freeze();
		last(time);
		server.unfreeze();
	}

	private static void pause(RedisProcess server, Random random, String whom) {
		Duration time = between(random, 200, 600);
		command(server, Protocol.Command.CLIENT, "PAUSE", Long.toString(time.toMillis()), whom);
		last(time);
	}

	private static void again(Random random, int atMost, int longest, LongSupplier action) {
		for (int times = 1 + random.nextInt(atMost); times > 0; times--) {
			action.getAsLong();
			last(between(random, 0, longest));
		}
	}

	private static long command(RedisProcess server, ProtocolCommand command, String... args) {
		try (Jedis jedis = server.connect()) {
			return (jedis.sendCommand(command, args) instanceof Long number) ? number : 0;
		}
		catch (JedisConnectionException ex) {
			return 0;
		}
	}

	private static long killSubscriptions(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			return jedis.clientList(ClientType.PUBSUB)
				.lines()
				.filter((client) -> !client.contains(" name=sentinel-"))
				.map((client) -> client.replaceAll("^id=(\\d+) .*", "$1"))
				.mapToLong((id) -> jedis.clientKill(ClientKillParams.clientKillParams().id(id)))
				.sum();
		}
		catch (JedisConnectionException ex) {
			return 0;
		}
	}

	private static String failOver(Bench bench, int replicas, Consumer<Sentinels> how) {
		Sentinels sentinels = (Sentinels) bench.deployment();
		sentinels.requireReplicas(replicas);
		how.accept(sentinels);
		if (replicas > 0) {
			sentinels.requireReplicas(0);
		}
		return "now at port " + sentinels.masters().get(0).port();
	}

	@FunctionalInterface
	interface Action {

		String strike(Bench bench, int index, Random random) throws Exception;

	}

	@FunctionalInterface
	interface ServerAction {

		void strike(RedisProcess server, Random random) throws Exception;

	}

	@FunctionalInterface
	interface ClusterAction {

		void strike(Cluster cluster, String key, Random random) throws Exception;

	}

}
