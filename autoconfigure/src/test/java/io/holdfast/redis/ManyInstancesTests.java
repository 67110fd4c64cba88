package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;
import static org.awaitility.Awaitility.await;

/**
 * Many instances that wait for one lock: what it costs Redis to hand it from one to the
 * next does not depend on how many they are.
 */
@Tag("any-jdk")
@Tag("slow")
class ManyInstancesTests {

	private static final int POLLS = 30;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--maxclients", "2000");

	private final List<JedisConnectionFactory> connections = new ArrayList<>();

	private final List<TestInstance> instances = new ArrayList<>();

	@AfterEach
	void closeInstances() {
		this.instances.forEach(TestInstance::close);
		this.connections.forEach(JedisConnectionFactory::destroy);
	}

	@Test
	void commandsPerHandOverStayTheSame() {
		costs(2); // Redis gets to know the scripts
		Costs few = costs(10);
		Costs more = costs(50);
		Costs many = costs(200);
		assertThat(List.of(more, many)).allSatisfy((costs) -> {
			assertThat(costs.handOver()).isCloseTo(few.handOver(), withPercentage(35));
			assertThat(costs.poll()).isCloseTo(few.poll(), withPercentage(20));
			assertThat(costs.messages()).isBetween(1, costs.handOvers());
			assertThat(costs.polls()).isLessThan(2 * costs.pollsInAsLong() + costs.handOvers());
		});
	}

	@Test
	void permitThatComesBackWakesOneWaiter() {
		LockRequest request = LockRequest.of("permits").permits(5).waitFor(Duration.ofMinutes(1)).ownedByHandle();
		TestInstance one = newInstance();
		TestInstance two = newInstance();
		List<LockHandle> held = IntStream.range(0, 5).mapToObj((i) -> one.template().acquire(request)).toList();
		List<CompletableFuture<Boolean>> waiters = IntStream.range(0, 200).mapToObj((i) -> Threads.start(() -> {
			try (LockHandle handle = ((i % 2 == 0) ? one : two).template().acquire(request)) {
				return handle.isHeld();
			}
		})).toList();
		await().until(() -> isQueued("permits", 200));
		try (Messages messages = new Messages()) {
			held.forEach(LockHandle::release);
			assertThat(waiters.stream().map(Threads::join)).containsOnly(true);
			assertThat(messages.countAll()).isBetween(100, 240);
		}
	}

	/**
	 * Have instances wait, and then hand the lock to each other until all have had it.
	 */
	private Costs costs(int waiting) {
		String key = "key-of-" + waiting;
		LockRequest request = LockRequest.of(key).waitFor(Duration.ofMinutes(1));
		LockHandle first = newInstance().template().acquire(request);
		List<CompletableFuture<Long>> waiters = new ArrayList<>();
		for (int i = 0; i < waiting; i++) {
			TestInstance instance = newInstance();
			waiters.add(Threads.start(() -> {
				try (LockHandle handle = instance.template().acquire(request)) {
					return handle.fencingToken();
				}
			}));
		}
		await().until(() -> isQueued(key, waiting));
		CommandCounts before = CommandCounts.of(redis);
		long begin = System.nanoTime();
		await().until(() -> CommandCounts.of(redis).since(before).scripts() > POLLS);
		CommandCounts polling = CommandCounts.of(redis).since(before);
		long middle = System.nanoTime();
		try (Messages messages = new Messages()) {
			CommandCounts start = CommandCounts.of(redis);
			first.release();
			assertThat(waiters.stream().map(Threads::join)).doesNotHaveDuplicates();
			CommandCounts all = CommandCounts.of(redis).since(start);
			double timesAsLong = (double) (System.nanoTime() - middle) / (middle - begin);
			int wakeUps = messages.countAll();
			return new Costs(waiting, polling, all, wakeUps, timesAsLong);
		}
	}

	private TestInstance newInstance() {
		JedisConnectionFactory factory = Connections.patientJedis(redis.port());
		this.connections.add(factory);
		TestInstance instance = RedisStores.instance(factory);
		this.instances.add(instance);
		return instance;
	}

	private static boolean isQueued(String key, int waiters) {
		try (Jedis jedis = redis.connect()) {
			return jedis.zcard("holdfast:{" + key + "}:queue") == waiters;
		}
	}

	/**
	 * What it took to let all have the lock, each once.
	 *
	 * @param handOvers how often it was handed on
	 * @param polling what was done while all of them waited
	 * @param all what was done until all had had the lock: to release it and to acquire
	 * it, and by those who looked after it meanwhile in vain
	 * @param messages what waiters were told meanwhile
	 * @param timesAsLong how many times as long the latter took
	 */
	private record Costs(int handOvers, CommandCounts polling, CommandCounts all, int messages, double timesAsLong) {

		/**
		 * Return the commands of one who looks in vain.
		 */
		double poll() {
			return (double) commandsOf(this.polling) / attempts(this.polling);
		}

		/**
		 * Return the commands to release the lock and to acquire it.
		 */
		double handOver() {
			return (commandsOf(this.all) - polls() * poll()) / this.handOvers;
		}

		/**
		 * Return how often somebody looked in vain while the lock was handed on.
		 */
		long polls() {
			return attempts(this.all) - this.handOvers;
		}

		/**
		 * Return how often that would be if nobody had been woken.
		 */
		long pollsInAsLong() {
			return (long) (attempts(this.polling) * this.timesAsLong);
		}

		/**
		 * Return how often acquire.lua was run: not all scripts are about the lock, and
		 * this command is in no other.
		 */
		private static long attempts(CommandCounts counts) {
			return counts.of("zmscore");
		}

		private static long commandsOf(CommandCounts counts) {
			return counts.all() - counts.scripts();
		}

	}

	/**
	 * Counts what instances tell each other, and not what each tells itself.
	 */
	private static final class Messages extends JedisPubSub implements AutoCloseable {

		private static final String CHANNEL = "holdfast:wake:test";

		private final AtomicInteger count = new AtomicInteger();

		private final CountDownLatch listening = new CountDownLatch(1);

		private final CountDownLatch all = new CountDownLatch(1);

		private final CompletableFuture<Boolean> end;

		Messages() {
			this.end = Threads.start(() -> {
				try (Jedis jedis = redis.connect()) {
					jedis.psubscribe(this, "holdfast:wake:*");
				}
				return true;
			});
			Threads.await(this.listening);
		}

		int countAll() {
			try (Jedis jedis = redis.connect()) {
				jedis.publish(CHANNEL, "all");
			}
			Threads.await(this.all);
			return this.count.get();
		}

		@Override
		public void onPSubscribe(String pattern, int channels) {
			this.listening.countDown();
		}

		@Override
		public void onPMessage(String pattern, String channel, String message) {
			if (channel.equals(CHANNEL)) {
				this.all.countDown();
			}
			else if (!message.equals(".")) {
				this.count.incrementAndGet();
			}
		}

		@Override
		public void close() {
			punsubscribe();
			Threads.join(this.end);
		}

	}

}
