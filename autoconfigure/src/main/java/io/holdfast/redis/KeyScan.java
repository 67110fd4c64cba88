package io.holdfast.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.KeyRange;
import io.holdfast.redis.connection.LockClient;

/**
 * Finds the locks on one Redis, which may be a Cluster, by scanning its keys.
 */
final class KeyScan {

	// How many keys a server scans in one step, which blocks it for some milliseconds
	private static final int STEP = 10_000;

	// How many locks are kept in memory for one answer, about
	private static final int MOST_FOUND = 20_000;

	private final LockScript<List<?>> scan = new LockScript<>("scan.lua", (reply) -> (List<?>) reply);

	private final LockClient redis;

	private final LockKeys keys;

	private final ServerKeys servers;

	KeyScan(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
		this.servers = new ServerKeys(redis, keys);
	}

	// Each server gets an equal part of the time that is left
	HeldKeys run(String prefix, Map<String, KeyRange> ranges, Duration atMost) {
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(atMost);
		Set<String> found = new LinkedHashSet<>();
		Map<String, KeyRange> scanned = new LinkedHashMap<>();
		Map<String, byte[]> servers = this.servers.all();
		servers.forEach((server, anyKey) -> {
			long now = System.nanoTime();
			long share = (end - now) / (servers.size() - scanned.size());
			scanned.put(server, scan(anyKey, prefix, ranges.getOrDefault(server, KeyRange.ALL), now + share, found));
		});
		return new HeldKeys(found, scanned);
	}

	private KeyRange scan(byte[] anyKey, String prefix, KeyRange range, long end, Set<String> found) {
		String cursor = range.from();
		while (!cursor.equals(range.to()) && !cursor.equals(KeyRange.END) && found.size() < MOST_FOUND
				&& System.nanoTime() - end < 0) {
			List<?> page = this.scan.run(this.redis,
					ScriptCall.onKeys(null, List.of(anyKey)).with(cursor.isEmpty() ? "0" : cursor, pattern(), STEP));
			((List<?>) page.get(1)).stream()
				.map((name) -> this.keys.keyOf((byte[]) name))
				.filter((key) -> key != null && key.startsWith(prefix))
				.forEach(found::add);
			cursor = LockImage.text(page.get(0));
		}
		return new KeyRange(range.from(), cursor);
	}

	// All locks match it, and little else
	private String pattern() {
		return this.keys.prefix().replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*{*";
	}

}
