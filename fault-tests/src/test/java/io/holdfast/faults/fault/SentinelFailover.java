package io.holdfast.faults.fault;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

import io.holdfast.faults.check.Promise;
import io.holdfast.faults.deployment.Sentinels;
import redis.clients.jedis.Jedis;

/**
 * A fail-over to the replica.
 *
 * @param how why it comes to that
 * @param sentinels the servers
 * @param promise what is promised in spite of it
 * @param refuses whether a master without a replica refuses writes
 */
record SentinelFailover(SentinelFault how, Sentinels sentinels, Promise promise, boolean refuses) implements Fault {

	@Override
	public boolean isFailover() {
		return true;
	}

	@Override
	public String strike(Random random) {
		this.sentinels.awaitWell();
		requireReplicas(this.refuses ? 1 : 0);
		long start = System.nanoTime();
		int before = this.sentinels.servers().currentMaster();
		this.how.failOver(this.sentinels.servers());
		long took = Duration.ofNanos(System.nanoTime() - start).toMillis();
		if (this.refuses) {
			this.sentinels.awaitWell();
			requireReplicas(0);
		}
		return "%s from port %d in %d ms".formatted(this, before, took);
	}

	private void requireReplicas(int number) {
		Stream.of(this.sentinels.servers().servers().master(), this.sentinels.servers().servers().replica(0))
			.forEach((server) -> {
				try (Jedis jedis = server.connect()) {
					jedis.configSet("min-replicas-max-lag", "1");
					jedis.configSet("min-replicas-to-write", Integer.toString(number));
					jedis.configRewrite();
				}
			});
	}

	@Override
	public String toString() {
		return "fail-over (" + this.how + (this.refuses ? ", a master without a replica refuses writes)" : ")");
	}

}
