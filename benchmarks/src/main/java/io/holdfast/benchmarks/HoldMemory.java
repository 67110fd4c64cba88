package io.holdfast.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * A command of its own: how much memory a lock takes that is held, here and in Redis.
 */
public final class HoldMemory {

	private static final int HOLDS = 100_000;

	private HoldMemory() {
	}

	/**
	 * Measure and print.
	 * @param arguments none that count
	 */
	public static void main(String[] arguments) {
		measure("owned by one thread", LockRequest::of);
		measure("owned by their handles", (key) -> LockRequest.of(key).ownedByHandle());
	}

	private static void measure(String title, Function<String, LockRequest> request) {
		try (RedisProcess redis = new RedisProcess()) {
			redis.start();
			try (var application = HoldfastApplication.run(new ClientSettings(redis.port(), 1, true));
					Jedis jedis = redis.connect()) {
				LockRegistry registry = application.getBean(LockRegistry.class);
				// Has loaded all classes
				acquire(registry, request, "first", HOLDS / 100).forEach(LockHandle::release);
				long heapBefore = usedHeap();
				long redisBefore = usedMemory(jedis);
				List<LockHandle> held = acquire(registry, request, "held", HOLDS);
				long heap = usedHeap() - heapBefore;
				long server = usedMemory(jedis) - redisBefore;
				held.forEach(LockHandle::release);
				System.out.printf(
						"%,d locks, %s: %,d bytes each here, %,d in Redis; %,d bytes of those in Redis stay%n", HOLDS,
						title, heap / HOLDS, server / HOLDS, (usedMemory(jedis) - redisBefore) / HOLDS);
			}
		}
	}

	private static List<LockHandle> acquire(LockRegistry registry, Function<String, LockRequest> request, String name,
			int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> registry.acquireOrThrow(request.apply(name + "-" + i)))
			.toList();
	}

	private static long usedHeap() {
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

	private static long usedMemory(Jedis jedis) {
		return Long.parseLong(jedis.info("memory").lines().skip(1).findFirst().orElseThrow().split(":")[1].strip());
	}

}
