package io.holdfast.faults.deployment;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.faults.harness.Deployment;
import io.holdfast.test.RedisProcess;

/**
 * Five servers that know nothing of one another.
 */
public final class Masters implements Deployment {

	private final List<RedisProcess> servers = Stream
		.generate(() -> new RedisProcess("--appendonly", "yes", "--appendfsync", "no", "--enable-debug-command", "yes"))
		.limit(5)
		.toList();

	public RedisProcess server(int index) {
		return this.servers.get(index);
	}

	@Override
	public void start() {
		this.servers.forEach(RedisProcess::start);
	}

	@Override
	public List<String> properties() {
		String nodes = this.servers.stream()
			.map((server) -> "redis://127.0.0.1:" + server.port())
			.collect(Collectors.joining(","));
		return List.of("holdfast.redis.nodes=" + nodes, "holdfast.redis.node-timeout=100ms");
	}

	@Override
	public List<RedisProcess> masters() {
		return this.servers;
	}

	@Override
	public void close() {
		this.servers.forEach(RedisProcess::close);
	}

}
