package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.deployment.Cluster;
import io.holdfast.test.RedisProcess;
import org.awaitility.core.ConditionTimeoutException;
import redis.clients.jedis.Jedis;

import static org.awaitility.Awaitility.await;

/**
 * What happens to the master that has a lock in a Cluster.
 */
public enum ClusterFault {

	/** It is killed, and comes back as a replica. */
	MASTER_KILLED(Promise.GRANTS_FORGOTTEN) {

		@Override
		void strike(Cluster cluster, String key, Random random) {
			RedisProcess master = cluster.masterOf(key);
			RedisProcess replica = cluster.replicaOf(master);
			master.kill();
			await().atMost(LIMIT).until(() -> cluster.masters().contains(replica));
			master.start();
		}

	},

	/** An operator asks for its replica to take its place. */
	FAILOVER_ASKED_FOR(Promise.GRANTS_FORGOTTEN) {

		@Override
		void strike(Cluster cluster, String key, Random random) {
			RedisProcess replica = cluster.replicaOf(cluster.masterOf(key));
			await().atMost(LIMIT).until(() -> takesOver(cluster, replica));
		}

		/**
		 * On a busy machine nodes may forget that they were asked: after five seconds.
		 */
		private boolean takesOver(Cluster cluster, RedisProcess replica) {
			try (Jedis jedis = replica.connect()) {
				jedis.clusterFailover();
				await().atMost(Duration.ofSeconds(6)).until(() -> cluster.masters().contains(replica));
			}
			catch (ConditionTimeoutException ex) {
				return false;
			}
			return true;
		}

	},

	/** The slot moves to another master, with the lock in it. */
	SLOT_MOVED(Promise.NOTHING_LOST) {

		@Override
		void strike(Cluster cluster, String key, Random random) {
			RedisProcess from = cluster.masterOf(key);
			List<RedisProcess> others = cluster.masters().stream().filter((master) -> master != from).toList();
			new SlotMove(key, from, others.get(random.nextInt(others.size()))).run(random);
		}

	};

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final Promise promise;

	ClusterFault(Promise promise) {
		this.promise = promise;
	}

	abstract void strike(Cluster cluster, String key, Random random);

	/**
	 * Return the fault.
	 * @param keys locks, of one of which the master is struck
	 */
	public Fault of(Cluster cluster, List<String> keys) {
		return Fault.of("cluster " + this, this.promise, (random) -> {
			String key = keys.get(random.nextInt(keys.size()));
			int port = cluster.masterOf(key).port();
			long start = System.nanoTime();
			strike(cluster, key, random);
			long took = Duration.ofNanos(System.nanoTime() - start).toMillis();
			await().atMost(LIMIT).until(cluster::isWell);
			return "%s at port %d, which had '%s', in %d ms".formatted(this, port, key, took);
		});
	}

}
