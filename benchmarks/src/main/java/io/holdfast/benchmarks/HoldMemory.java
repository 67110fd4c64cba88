package io.holdfast.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.benchmarks.contender.ClientSettings;
import io.holdfast.benchmarks.contender.HoldfastApplication;
import io.holdfast.benchmarks.harness.RedisServer;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * A command of its own: how much memory a lock takes that is held, here and in Redis.
 */
public final class HoldMemory {

	private static final int HOLDS = 100_000;

	private static final int FIRST_HOLDS = 1_000;

	private final RedisServer redis;

	private final LockRegistry registry;

	private final LockRequest request;

	private HoldMemory(RedisServer redis, LockRegistry registry, LockRequest request) {
		this.redis = redis;
		this.registry = registry;
		this.request = request;
	}

	/**
	 * Measure and print.
	 * @param arguments none that count
	 */
	public static void main(String[] arguments) {
		try (RedisServer redis = RedisServer.open(Integer.getInteger("redis.port", 0))) {
			measure("owned by one thread", redis, LockRequest.of("-"));
			measure("owned by their handles", redis, LockRequest.of("-").ownedByHandle());
		}
	}

	private static void measure(String title, RedisServer redis, LockRequest request) {
		redis.flush();
		try (ConfigurableApplicationContext application = HoldfastApplication
			.run(new ClientSettings(redis.port(), 1, true))) {
			new HoldMemory(redis, application.getBean(LockRegistry.class), request).measure(title);
		}
	}

	/**
	 * Locks that were held and released before have loaded all classes.
	 */
	private void measure(String title) {
		acquire("first", FIRST_HOLDS).forEach(LockHandle::release);
		long heapBefore = usedHeap();
		long redisBefore = this.redis.usedMemory();
		List<LockHandle> held = acquire("held", HOLDS);
		long heap = usedHeap() - heapBefore;
		long server = this.redis.usedMemory() - redisBefore;
		held.forEach(LockHandle::ensureHeld);
		held.forEach(LockHandle::release);
		System.out.printf("%,d locks, %s: %,d bytes each here, %,d in Redis; %,d bytes of those in Redis stay%n",
				held.size(), title, heap / HOLDS, server / HOLDS, (this.redis.usedMemory() - redisBefore) / HOLDS);
	}

	private List<LockHandle> acquire(String name, int count) {
		List<LockHandle> handles = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			handles.add(this.registry.acquireOrThrow(like(this.request, name + "-" + i)));
		}
		return handles;
	}

	private static LockRequest like(LockRequest request, String key) {
		return request.handleBound() ? LockRequest.of(key).ownedByHandle() : LockRequest.of(key);
	}

	private static long usedHeap() {
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
