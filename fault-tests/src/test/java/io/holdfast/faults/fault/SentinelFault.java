package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.stream.Stream;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.deployment.Sentinels;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import redis.clients.jedis.Jedis;

/**
 * A fail-over to the replica.
 */
public enum SentinelFault {

	/** The master is killed, and comes back as a replica. */
	MASTER_KILLED(Promise.GRANTS_FORGOTTEN) {

		@Override
		void failOver(RedisSentinels servers) {
			RedisProcess master = servers.currentMasterProcess();
			master.kill();
			servers.awaitFailover(master.port());
			master.start();
			follow(master, servers.currentMaster());
		}

	},

	/**
	 * The master hangs, and goes on when another has taken its place. It takes the
	 * Sentinels some seconds to tell it, and clients may be with it until then.
	 */
	MASTER_FROZEN(Promise.TWO_MASTERS) {

		@Override
		void failOver(RedisSentinels servers) {
			RedisProcess master = servers.currentMasterProcess();
			master.freeze();
			servers.awaitFailover(master.port());
			master.unfreeze();
		}

	},

	/** An operator asks for it: the old master goes on for some seconds, as above. */
	ASKED_FOR(Promise.TWO_MASTERS) {

		@Override
		void failOver(RedisSentinels servers) {
			int master = servers.currentMaster();
			try (Jedis sentinel = servers.sentinels().get(0).connect()) {
				sentinel.sentinelFailover(servers.masterName());
			}
			servers.awaitFailover(master);
		}

	};

	private final Promise promise;

	SentinelFault(Promise promise) {
		this.promise = promise;
	}

	/**
	 * Sentinels would do this some seconds later.
	 */
	private static void follow(RedisProcess replica, int master) {
		try (Jedis jedis = replica.connect()) {
			jedis.replicaof("127.0.0.1", master);
		}
	}

	abstract void failOver(RedisSentinels servers);

	/**
	 * Return the fault.
	 */
	public Fault of(Sentinels servers) {
		return fault("fail-over (" + this + ")", servers, this.promise, false);
	}

	/**
	 * Return the fault where a master without a replica refuses writes
	 * ({@code min-replicas-to-write}), so that there are no two for long.
	 */
	public Fault withRefusals(Sentinels servers) {
		return fault("fail-over (" + this + ", a master without a replica refuses writes)", servers,
				Promise.GRANTS_FORGOTTEN, true);
	}

	private Fault fault(String name, Sentinels servers, Promise promised, boolean refuses) {
		return Fault.of(name, promised, (random) -> {
			servers.awaitWell();
			requireReplicas(servers.servers(), refuses ? 1 : 0);
			long start = System.nanoTime();
			int before = servers.servers().currentMaster();
			failOver(servers.servers());
			long took = Duration.ofNanos(System.nanoTime() - start).toMillis();
			if (refuses) {
				servers.awaitWell();
				requireReplicas(servers.servers(), 0);
			}
			return "%s from port %d in %d ms".formatted(name, before, took);
		}).failingOver();
	}

	private static void requireReplicas(RedisSentinels servers, int number) {
		Stream.of(servers.servers().master(), servers.servers().replica(0)).forEach((server) -> {
			try (Jedis jedis = server.connect()) {
				jedis.configSet("min-replicas-max-lag", "1");
				jedis.configSet("min-replicas-to-write", Integer.toString(number));
				jedis.configRewrite();
			}
		});
	}

}
