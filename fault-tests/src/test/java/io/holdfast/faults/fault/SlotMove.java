package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.holdfast.faults.deployment.Cluster;
import io.holdfast.faults.harness.Span;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.MigrateParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Moves a slot of a Cluster from one master to another while it is in use, as
 * {@code redis-cli --cluster reshard} does.
 *
 * @param key a key in the slot
 * @param from who has it
 * @param to who is to have it
 */
record SlotMove(String key, RedisProcess from, RedisProcess to) {

	private static final int STEP = 1;

	private static final int TIMEOUT_MILLIS = 1000;

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(120);

	/**
	 * Move it.
	 * @param pauses how long it stays between the two masters, key by key
	 */
	void run(Random pauses) {
		int slot = JedisClusterCRC16.getSlot(this.key);
		String source = Cluster.idOf(this.from);
		String target = Cluster.idOf(this.to);
		try (Jedis giving = this.from.connect(); Jedis taking = this.to.connect()) {
			taking.clusterSetSlotImporting(slot, source);
			giving.clusterSetSlotMigrating(slot, target);
			moveKeys(giving, slot, pauses);
			taking.clusterSetSlotNode(slot, target);
			giving.clusterSetSlotNode(slot, target);
		}
	}

	private void moveKeys(Jedis giving, int slot, Random pauses) {
		List<String> keys = giving.clusterGetKeysInSlot(slot, STEP);
		while (!keys.isEmpty()) {
			giving.migrate("127.0.0.1", this.to.port(), TIMEOUT_MILLIS, MigrateParams.migrateParams().replace(),
					keys.toArray(String[]::new));
			Span.last(Span.between(pauses, Duration.ZERO, LONGEST_PAUSE));
			keys = giving.clusterGetKeysInSlot(slot, STEP);
		}
	}

}
