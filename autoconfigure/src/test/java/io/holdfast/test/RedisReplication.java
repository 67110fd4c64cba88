package io.holdfast.test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.awaitility.Awaitility.await;

/**
 * A Redis server for a test class, with replicas of it.
 */
public final class RedisReplication implements TestServer {

	private final RedisProcess master;

	private final List<RedisProcess> replicas;

	public RedisReplication(int replicas, String... options) {
		List<String> all = new ArrayList<>(List.of(options));
		all.addAll(List.of("--repl-diskless-sync-delay", "0"));
		this.master = new RedisProcess(List.of(), all);
		List<String> role = List.of("replicaof 127.0.0.1 " + this.master.port());
		this.replicas = Stream.generate(() -> new RedisProcess(role, all)).limit(replicas).toList();
	}

	public RedisProcess master() {
		return this.master;
	}

	public List<RedisProcess> replicas() {
		return this.replicas;
	}

	public RedisProcess replica(int index) {
		return this.replicas.get(index);
	}

	@Override
	public void start() {
		this.master.start();
		this.replicas.forEach(RedisProcess::start);
		await()
			.until(() -> onlineReplicas() == this.replicas.size() && this.replicas.stream().allMatch(this::isLinked));
	}

	private long onlineReplicas() {
		return replicationOf(this.master).lines().filter((line) -> line.contains("state=online")).count();
	}

	private boolean isLinked(RedisProcess replica) {
		return replicationOf(replica).contains("master_link_status:up");
	}

	private static String replicationOf(RedisProcess server) {
		return server.ask((jedis) -> jedis.info("replication"));
	}

	@Override
	public void close() {
		this.replicas.forEach(RedisProcess::close);
		this.master.close();
	}

}
