package io.holdfast.faults.deployment;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.holdfast.faults.harness.Deployment;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import redis.clients.jedis.Jedis;

import static org.awaitility.Awaitility.await;

/**
 * A master and a replica, with three Sentinels.
 */
public final class Sentinels implements Deployment {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	/**
	 * A master may be silent for longer than anything takes that should not make another
	 * one of its replica, also on a machine that is busy.
	 */
	private static final Duration DOWN_AFTER = Duration.ofMillis(1500);

	private final RedisSentinels servers = new RedisSentinels(DOWN_AFTER, "--enable-debug-command", "yes");

	public RedisSentinels servers() {
		return this.servers;
	}

	@Override
	public void start() {
		this.servers.start();
	}

	@Override
	public List<String> properties() {
		String nodes = this.servers.sentinelPorts()
			.stream()
			.map((port) -> "127.0.0.1:" + port)
			.collect(Collectors.joining(","));
		return List.of("spring.data.redis.sentinel.master=" + this.servers.masterName(),
				"spring.data.redis.sentinel.nodes=" + nodes);
	}

	@Override
	public List<RedisProcess> masters() {
		return List.of(this.servers.currentMasterProcess());
	}

	/**
	 * There is a replica, which follows the master, and the Sentinels know it.
	 */
	@Override
	public void awaitWell() {
		await().atMost(LIMIT).until(this::isWell);
	}

	private boolean isWell() {
		try (Jedis jedis = this.servers.currentMasterProcess().connect()) {
			return jedis.info("replication").contains("state=online")
					&& this.servers.sentinels().stream().allMatch(this::knowsReplica);
		}
	}

	private boolean knowsReplica(RedisProcess sentinel) {
		try (Jedis jedis = sentinel.connect()) {
			return jedis.sentinelReplicas(this.servers.masterName())
				.stream()
				.anyMatch((replica) -> "slave".equals(replica.get("flags"))
						&& "ok".equals(replica.get("master-link-status")));
		}
	}

	@Override
	public long failovers() {
		try (Jedis jedis = this.servers.sentinels().get(0).connect()) {
			return Long.parseLong(jedis.sentinelMaster(this.servers.masterName()).get("config-epoch"));
		}
	}

	@Override
	public void close() {
		this.servers.close();
	}

}
