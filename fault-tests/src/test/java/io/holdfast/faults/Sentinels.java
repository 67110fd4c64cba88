package io.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import redis.clients.jedis.Jedis;

/**
 * A master and a replica, with three Sentinels.
 */
final class Sentinels implements Deployment {

	/**
	 * A master may be silent for longer than anything takes that should not make another
	 * one of its replica, also on a machine that is busy.
	 */
	private static final Duration DOWN_AFTER = Duration.ofMillis(1500);

	private final RedisSentinels servers = new RedisSentinels(DOWN_AFTER, "--enable-debug-command", "yes");

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
		Bench.patiently().until(() -> {
			return this.servers.currentMasterProcess()
				.ask((jedis) -> jedis.info("replication").contains("state=online")
						&& this.servers.sentinels().stream().allMatch(this::knowsReplica));
		});
	}

	private boolean knowsReplica(RedisProcess sentinel) {
		return sentinel.ask((jedis) -> jedis.sentinelReplicas(this.servers.masterName())
			.stream()
			.anyMatch((replica) -> "slave".equals(replica.get("flags"))
					&& "ok".equals(replica.get("master-link-status"))));
	}

	@Override
	public long failovers() {
		return this.servers.sentinels()
			.get(0)
			.ask((jedis) -> Long.parseLong(jedis.sentinelMaster(this.servers.masterName()).get("config-epoch")));
	}

	/**
	 * The master is killed, and comes back as a replica. Sentinels would tell it some
	 * seconds later.
	 */
	void killMaster() {
		RedisProcess master = this.servers.currentMasterProcess();
		master.kill();
		this.servers.awaitFailover(master.port());
		master.start();
		master.with((jedis) -> jedis.replicaof("127.0.0.1", this.servers.currentMaster()));
	}

	/**
	 * The master hangs, and goes on when another has taken its place. It takes the
	 * Sentinels some seconds to tell it, and clients may be with it until then.
	 */
	void freezeMaster() {
		RedisProcess master = this.servers.currentMasterProcess();
		master.freeze();
		this.servers.awaitFailover(master.port());
		master.unfreeze();
	}

	/**
	 * An operator asks for it: the old master goes on for some seconds, as above.
	 */
	void askForFailover() {
		int master = this.servers.currentMaster();
		this.servers.sentinels().get(0).with((sentinel) -> sentinel.sentinelFailover(this.servers.masterName()));
		this.servers.awaitFailover(master);
	}

	void requireReplicas(int number) {
		awaitWell();
		Stream.of(this.servers.servers().master(), this.servers.servers().replica(0)).forEach((server) -> {
			try (Jedis jedis = server.connect()) {
				jedis.configSet("min-replicas-max-lag", "1");
				jedis.configSet("min-replicas-to-write", Integer.toString(number));
				jedis.configRewrite();
			}
		});
	}

	@Override
	public void close() {
		this.servers.close();
	}

}
