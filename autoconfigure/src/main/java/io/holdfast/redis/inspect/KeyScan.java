package io.holdfast.redis.inspect;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.engine.store.StoreView.HeldKeys;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.script.LockKeys;
import io.holdfast.redis.script.LockScript;
import io.holdfast.redis.script.ScriptCall;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Finds the locks on one Redis, which may be a Cluster, by scanning its keys.
 */
final class KeyScan {

	/**
	 * How many keys a server scans in one step, which blocks it meanwhile.
	 */
	private static final int STEP = 1_000;

	/**
	 * How many steps there are at most on each server.
	 */
	private static final int MOST_STEPS = 200;

	private final LockScript<List<?>> scan = new LockScript<>("scan.lua", (reply) -> (List<?>) reply);

	private final LockClient redis;

	private final LockKeys keys;

	KeyScan(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
	}

	/**
	 * Scan the keys until so many locks are found, or the time is over. Each server gets
	 * an equal part of the time that is left.
	 */
	HeldKeys run(String prefix, int limit, Duration atMost) {
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(atMost);
		Set<String> found = new LinkedHashSet<>();
		List<byte[]> servers = this.redis.execute(this::aKeyOnEachServer);
		boolean more = false;
		for (int i = 0; i < servers.size(); i++) {
			long now = System.nanoTime();
			more |= !scan(servers.get(i), prefix, limit, now + (end - now) / (servers.size() - i), found);
		}
		return new HeldKeys(found.stream().limit(limit).toList(), more || found.size() > limit);
	}

	/**
	 * Go through the keys of one server.
	 * @return whether all keys were scanned
	 */
	private boolean scan(byte[] anyKey, String prefix, int limit, long end, Set<String> found) {
		byte[] cursor = LockKeys.bytes("0");
		for (int step = 0; step < MOST_STEPS && found.size() <= limit && System.nanoTime() - end < 0; step++) {
			List<?> page = this.scan.run(this.redis,
					ScriptCall.onKeys(null, List.of(anyKey)).with(cursor, pattern(), STEP));
			((List<?>) page.get(1)).stream()
				.map((name) -> this.keys.keyOf((byte[]) name))
				.filter((key) -> key != null && key.startsWith(prefix))
				.forEach(found::add);
			cursor = (byte[]) page.get(0);
			if (new String(cursor, StandardCharsets.US_ASCII).equals("0")) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return a pattern that the hashes of all locks match, and little else.
	 */
	private String pattern() {
		return this.keys.prefix().replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*{*";
	}

	/**
	 * Return names of keys by which each server that has locks is reached.
	 */
	private List<byte[]> aKeyOnEachServer(RedisConnection connection) {
		if (!(connection instanceof RedisClusterConnection cluster)) {
			return List.of(unused(0));
		}
		List<byte[]> ofServers = new ArrayList<>();
		for (RedisClusterNode node : cluster.clusterCommands().clusterGetNodes()) {
			if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
				ofServers.add(aKeyOn(node));
			}
		}
		return ofServers;
	}

	private byte[] aKeyOn(RedisClusterNode node) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj(this::unused)
			.filter((key) -> node.getSlotRange().contains(ClusterSlotHashUtil.calculateSlot(key)))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return a name that no key has, but could have: Redis users are allowed to use it.
	 */
	private byte[] unused(int number) {
		return LockKeys.bytes(this.keys.prefix() + "unused:" + number);
	}

}
