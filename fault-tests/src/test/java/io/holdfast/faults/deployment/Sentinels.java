package io.holdfast.faults.deployment;

import java.util.List;
import java.util.stream.Collectors;

import io.holdfast.faults.harness.Deployment;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;

/**
 * A master and a replica, with three Sentinels.
 */
public final class Sentinels implements Deployment {

	private final RedisSentinels servers = new RedisSentinels("--enable-debug-command", "yes");

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

	@Override
	public void close() {
		this.servers.close();
	}

}
