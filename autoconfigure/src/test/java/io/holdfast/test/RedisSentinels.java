package io.holdfast.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

import static org.awaitility.Awaitility.await;

/**
 * A Redis server for a test class, with a replica that takes its place when it is gone:
 * three Sentinels, two of which must agree, see to that.
 */
public final class RedisSentinels implements TestServer {

	public static final String MASTER_NAME = "holdfast";

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final RedisReplication servers;

	private final List<RedisProcess> sentinels;

	public RedisSentinels() {
		this(Duration.ofMillis(500));
	}

	/**
	 * Create some that leave the master alone when a busy machine keeps it silent.
	 */
	public static RedisSentinels patient() {
		return new RedisSentinels(Duration.ofMinutes(10));
	}

	/**
	 * Create a master, its replica and the Sentinels.
	 * @param downAfter how long a master may be silent
	 * @param options options of the master and of the replica
	 */
	public RedisSentinels(Duration downAfter, String... options) {
		this.servers = new RedisReplication(1, options);
		this.sentinels = Stream.generate(() -> sentinel(this.servers.master(), downAfter)).limit(3).toList();
	}

	private static RedisProcess sentinel(RedisProcess master, Duration downAfter) {
		List<String> configuration = List.of("sentinel resolve-hostnames no", "sentinel announce-ip 127.0.0.1",
				"sentinel monitor %s 127.0.0.1 %d 2".formatted(MASTER_NAME, master.port()),
				"sentinel down-after-milliseconds %s %d".formatted(MASTER_NAME, downAfter.toMillis()),
				"sentinel failover-timeout %s 2000".formatted(MASTER_NAME));
		return new RedisProcess(configuration, List.of("--sentinel"));
	}

	/**
	 * Create a Sentinel that tells of a master, whether it reaches that or not, and can
	 * do nothing else on its own.
	 * @param port the master's port
	 */
	public static RedisProcess telling(int port) {
		return new RedisProcess(List.of("sentinel monitor %s 127.0.0.1 %d 2".formatted(MASTER_NAME, port)),
				List.of("--sentinel"));
	}

	public String masterName() {
		return MASTER_NAME;
	}

	public RedisReplication servers() {
		return this.servers;
	}

	public List<RedisProcess> sentinels() {
		return this.sentinels;
	}

	public List<Integer> sentinelPorts() {
		return this.sentinels.stream().map(RedisProcess::port).toList();
	}

	/**
	 * Return the server that is the master, once the Sentinels agree on one.
	 */
	public RedisProcess currentMasterProcess() {
		int port = currentMaster();
		return (port == this.servers.master().port()) ? this.servers.master() : this.servers.replica(0);
	}

	public int currentMaster() {
		return await().until(this::masters, (ports) -> ports.size() == 1).iterator().next();
	}

	public int awaitFailover(int previousPort) {
		return await().atMost(LIMIT)
			.until(this::masters, (ports) -> ports.size() == 1 && !ports.contains(previousPort))
			.iterator()
			.next();
	}

	private Set<Integer> masters() {
		return this.sentinels.stream().flatMap(RedisSentinels::master).collect(Collectors.toSet());
	}

	private static Stream<Integer> master(RedisProcess sentinel) {
		try (Jedis jedis = sentinel.connect()) {
			return Stream.of(Integer.valueOf(jedis.sentinelGetMasterAddrByName(MASTER_NAME).get(1)));
		}
		catch (JedisConnectionException ex) {
			return Stream.empty();
		}
	}

	@Override
	public void start() {
		this.servers.start();
		this.sentinels.forEach(RedisProcess::start);
		await().atMost(LIMIT).until(() -> this.sentinels.stream().allMatch(this::knowsAll));
	}

	private boolean knowsAll(RedisProcess sentinel) {
		try (Jedis jedis = sentinel.connect()) {
			Map<String, String> master = jedis.sentinelMaster(MASTER_NAME);
			return "master".equals(master.get("flags")) && "1".equals(master.get("num-slaves"))
					&& "2".equals(master.get("num-other-sentinels"));
		}
	}

	@Override
	public void close() {
		this.sentinels.forEach(RedisProcess::close);
		this.servers.close();
	}

}
