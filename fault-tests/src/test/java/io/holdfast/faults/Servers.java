package io.holdfast.faults;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.faults.history.Pause;
import io.holdfast.test.RedisProcess;

/**
 * One server, or several that know nothing of one another. Each writes what it does to a
 * file before it answers, and leaves it to the system when that is on the disk: only the
 * server is killed, and on a slow disk it would otherwise put off what it writes, or
 * stand still.
 */
final class Servers implements Deployment {

	private final List<RedisProcess> servers;

	Servers(int count) {
		this.servers = Stream.generate(
				() -> new RedisProcess("--appendonly", "yes", "--appendfsync", "no", "--enable-debug-command", "yes"))
			.limit(count)
			.toList();
	}

	@Override
	public void start() {
		this.servers.forEach(RedisProcess::start);
	}

	@Override
	public List<String> properties() {
		if (this.servers.size() == 1) {
			return List.of("spring.data.redis.port=" + this.servers.get(0).port());
		}
		return List.of(
				"holdfast.redis.nodes=" + this.servers.stream()
					.map((server) -> "redis://127.0.0.1:" + server.port())
					.collect(Collectors.joining(",")),
				"holdfast.redis.node-timeout=%dms".formatted(Pause.SHORTEST.toMillis()));
	}

	@Override
	public List<RedisProcess> masters() {
		return this.servers;
	}

	@Override
	public boolean hasStandIns() {
		return this.servers.size() > 1;
	}

	@Override
	public void close() {
		this.servers.forEach(RedisProcess::close);
	}

}
