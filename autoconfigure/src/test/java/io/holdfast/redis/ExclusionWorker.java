package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.Threads;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * One of the JVMs of {@link ExclusionTests}: its threads count up numbers in Redis, by
 * reading and writing, under the locks of these numbers. The last line that it prints
 * says how often they did.
 */
final class ExclusionWorker {

	static final List<String> KEYS = List.of("hot", "warm");

	/**
	 * What is left of a claim that was given up lasts no longer.
	 */
	private static final Duration LEASE = Duration.ofSeconds(6);

	private final int port;

	private final long end;

	private final TestInstance instance;

	private ExclusionWorker(int port, Duration time, TestInstance instance) {
		this.port = port;
		this.end = System.nanoTime() + time.toNanos();
		this.instance = instance;
	}

	/**
	 * Run a worker.
	 * @param args port of Redis, number of threads, seconds, a seed
	 */
	public static void main(String[] args) {
		int port = Integer.parseInt(args[0]);
		int threads = Integer.parseInt(args[1]);
		Duration time = Duration.ofSeconds(Long.parseLong(args[2]));
		long seed = Long.parseLong(args[3]);
		JedisConnectionFactory connections = Connections.jedis(port, threads + 4);
		try (TestInstance instance = TestInstance
			.unobserved((id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			ExclusionWorker worker = new ExclusionWorker(port, time, instance);
			List<CompletableFuture<Long>> counts = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				Random random = new Random(seed * threads + i);
				counts.add(Threads.start(() -> worker.work(random)));
			}
			System.out.println(counts.stream().mapToLong(CompletableFuture::join).sum());
		}
		finally {
			connections.destroy();
		}
	}

	/**
	 * Wait for a lock in one way or another, until the time is over.
	 * @return how often it got it
	 */
	private long work(Random random) {
		long count = 0;
		try (Jedis jedis = new Jedis("127.0.0.1", this.port)) {
			while (System.nanoTime() - this.end < 0) {
				String key = KEYS.get((random.nextInt(8) == 0) ? 1 : 0);
				LockRequest request = LockRequest.of(key).lease(LEASE).waitFor(patience(random));
				Optional<LockHandle> lock = this.instance.template()
					.tryAcquire(random.nextBoolean() ? request : request.ownedByHandle());
				if (lock.isPresent()) {
					countUp(jedis, key, lock.get());
					count++;
				}
			}
		}
		return count;
	}

	private static Duration patience(Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofNanos(random.nextInt(3_000_000));
			default -> Duration.ofSeconds(10);
		};
	}

	private static void countUp(Jedis jedis, String key, LockHandle lock) {
		try (lock) {
			List<String> before = jedis.mget("count:" + key, "token:" + key);
			long count = (before.get(0) != null) ? Long.parseLong(before.get(0)) : 0;
			long token = (before.get(1) != null) ? Long.parseLong(before.get(1)) : 0;
			if (lock.fencingToken() <= token) {
				throw new IllegalStateException("Token %d of '%s' after %d".formatted(lock.fencingToken(), key, token));
			}
			jedis.mset("count:" + key, Long.toString(count + 1), "token:" + key, Long.toString(lock.fencingToken()));
		}
	}

}
