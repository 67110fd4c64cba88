package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * The masters of slots as of some seconds ago. Where they are unknown, neighbouring slots
 * count as one master.
 */
final class SlotMasters {

	private static final Logger logger = LoggerFactory.getLogger(SlotMasters.class);

	private static final Duration REFRESH_INTERVAL = Duration.ofSeconds(10);

	private static final int CLOSE = 1024;

	private static final String SEVERAL = "several";

	private final LockClient redis;

	// Not an executor: tracing would take the task for a part of the request
	private final ThreadFactory threads = DaemonThreads.named("holdfast-store");

	private final AtomicLong nextRefresh = new AtomicLong(System.nanoTime());

	private volatile Map<Integer, String> masters = Map.of();

	SlotMasters(LockClient redis) {
		this.redis = redis;
	}

	String masterOf(int slot) {
		String master = this.masters.get(slot);
		return (master != null) ? master : "near " + slot / CLOSE;
	}

	String masterOf(List<Integer> slots) {
		List<String> names = slots.stream().map(this::masterOf).distinct().limit(2).toList();
		return (names.size() == 1) ? names.get(0) : SEVERAL;
	}

	// Does not wait for the answer
	void refresh() {
		long due = this.nextRefresh.get();
		long now = System.nanoTime();
		if (now - due >= 0 && this.nextRefresh.compareAndSet(due, now + REFRESH_INTERVAL.toNanos())) {
			this.threads.newThread(this::ask).start();
		}
	}

	private void ask() {
		try {
			Map<Integer, String> asked = new ConcurrentHashMap<>();
			this.redis.execute((connection) -> {
				if (connection instanceof RedisClusterConnection cluster) {
					cluster.clusterCommands().clusterGetNodes().forEach((node) -> add(node, asked));
				}
				return asked;
			});
			this.masters = asked;
		}
		catch (LockStoreException ex) {
			logger.debug("The Cluster did not return the slots of its masters", ex);
		}
	}

	private static void add(RedisClusterNode node, Map<Integer, String> masters) {
		if (node.isMaster()) {
			node.getSlotRange().getSlots().forEach((slot) -> masters.put(slot, node.asString()));
		}
	}

}
