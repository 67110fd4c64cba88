package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;

import io.holdfast.faults.check.Promise;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import redis.clients.jedis.Jedis;

import static org.awaitility.Awaitility.await;

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

	private static final Duration LIMIT = Duration.ofSeconds(30);

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
	public Fault of(RedisSentinels servers) {
		return new Failover(this, servers);
	}

	private record Failover(SentinelFault how, RedisSentinels servers) implements Fault {

		@Override
		public Promise promise() {
			return this.how.promise;
		}

		@Override
		public String strike(Random random) {
			await().atMost(LIMIT).until(this::isThereAReplica);
			long start = System.nanoTime();
			int before = this.servers.currentMaster();
			this.how.failOver(this.servers);
			long took = Duration.ofNanos(System.nanoTime() - start).toMillis();
			return "fail-over from port %d (%s) in %d ms".formatted(before, this.how, took);
		}

		/**
		 * Sentinels know of one, and it follows the master: the next one, if there was a
		 * fail-over before.
		 */
		private boolean isThereAReplica() {
			try (Jedis jedis = this.servers.currentMasterProcess().connect()) {
				return jedis.info("replication").contains("state=online")
						&& this.servers.sentinels().stream().allMatch(this::knowsAReplica);
			}
		}

		private boolean knowsAReplica(RedisProcess sentinel) {
			try (Jedis jedis = sentinel.connect()) {
				return jedis.sentinelReplicas(this.servers.masterName())
					.stream()
					.anyMatch((replica) -> "slave".equals(replica.get("flags"))
							&& "ok".equals(replica.get("master-link-status")));
			}
		}

		@Override
		public String toString() {
			return "fail-over, " + this.how;
		}

	}

}
