package io.holdfast.faults.deployment;

import java.util.List;

import io.holdfast.faults.harness.Deployment;
import io.holdfast.test.RedisProcess;

/**
 * One server, which writes what it does to a file before it answers, and leaves it to the
 * system when that is on the disk: only the server is killed, and on a slow disk it would
 * otherwise put off what it writes, or stand still.
 */
public final class SingleServer implements Deployment {

	private final RedisProcess server = new RedisProcess("--appendonly", "yes", "--appendfsync", "no",
			"--enable-debug-command", "yes");

	public RedisProcess server() {
		return this.server;
	}

	@Override
	public void start() {
		this.server.start();
	}

	@Override
	public List<String> properties() {
		return List.of("spring.data.redis.port=" + this.server.port());
	}

	@Override
	public List<RedisProcess> masters() {
		return List.of(this.server);
	}

	@Override
	public void close() {
		this.server.close();
	}

}
