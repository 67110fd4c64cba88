package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;
import static org.awaitility.Awaitility.await;

/**
 * Many instances that wait for one lock: what it costs Redis to hand it from one to the
 * next, or to refuse it, does not depend on how many they are. Here nobody asks who is
 * not woken.
 */
@Tag("any-jdk")
@Tag("slow")
class ManyInstancesTests {

	private static final Duration NO_POLL = Duration.ofHours(1);

	private static final Duration LEASE = Duration.ofMinutes(10);

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
	void handOverAndRefusalCostTheSameHoweverManyWait() {
		costs(2); // Redis gets to know the scripts
		Costs few = costs(10);
		Costs many = costs(200);
		assertThat(many.refusal()).isCloseTo(few.refusal(), withPercentage(20));
		assertThat(many.handOver()).isCloseTo(few.handOver(), withPercentage(35));
		assertThat(many.attempts()).as("each is woken once").isBetween(200L, 240L);
	}

	@Test
	void permitThatComesBackWakesOneWaiter() {
		LockRequest request = LockRequest.of("permits").permits(5).waitFor(Duration.ofMinutes(1)).ownedByHandle();
		TestInstance one = newInstance();
		TestInstance two = newInstance();
		List<LockHandle> held = IntStream.range(0, 5).mapToObj((i) -> one.template().acquire(request)).toList();
		List<CompletableFuture<Long>> waiters = IntStream.range(0, 200)
			.mapToObj((i) -> waiter((i % 2 == 0) ? one : two, request))
			.toList();
		await().until(() -> isQueued("permits", 200));
		CommandCounts before = CommandCounts.of(redis);
		held.forEach(LockHandle::release);
		assertThat(waiters.stream().map(Threads::join)).doesNotHaveDuplicates();
		assertThat(attempts(CommandCounts.of(redis).since(before))).isBetween(100L, 240L);
	}

	/**
	 * Have instances wait, and then hand the lock to each other until all have had it.
	 */
	private Costs costs(int waiting) {
		String key = "key-of-" + waiting;
		LockRequest request = LockRequest.of(key).lease(LEASE).waitFor(Duration.ofMinutes(1));
		LockHandle first = newInstance().template().acquire(request);
		List<CompletableFuture<Long>> waiters = Stream.generate(this::newInstance)
			.limit(waiting)
			.map((instance) -> waiter(instance, request))
			.toList();
		await().until(() -> isQueued(key, waiting));
		LockStore store = this.instances.get(0).store();
		Claim claim = Claims.exclusive(key, "other:1", LEASE, 1, new QueuePlace("other:1#1", LEASE));
		assertThat(store.acquire(claim)).isInstanceOf(Denied.class);
		CommandCounts before = CommandCounts.of(redis);
		assertThat(store.acquire(claim)).isInstanceOf(Denied.class);
		CommandCounts refused = CommandCounts.of(redis).since(before);
		store.withdraw(claim, Duration.ZERO);
		CommandCounts start = CommandCounts.of(redis);
		first.release();
		assertThat(waiters.stream().map(Threads::join)).doesNotHaveDuplicates();
		CommandCounts handedOn = CommandCounts.of(redis).since(start);
		return new Costs((double) commands(handedOn) / waiting, commands(refused), attempts(handedOn));
	}

	private static CompletableFuture<Long> waiter(TestInstance instance, LockRequest request) {
		return Threads.start(() -> {
			try (LockHandle handle = instance.template().acquire(request)) {
				return handle.fencingToken();
			}
		});
	}

	/**
	 * It listens before it waits, or would be woken once for that.
	 */
	private TestInstance newInstance() {
		JedisConnectionFactory factory = Connections.patientJedis(redis.port());
		this.connections.add(factory);
		TestInstance instance = new TestInstance((id) -> RedisStores.open(factory), NO_POLL);
		this.instances.add(instance);
		instance.listen();
		return instance;
	}

	private static boolean isQueued(String key, int waiters) {
		return redis.ask((jedis) -> jedis.zcard("holdfast:{" + key + "}:queue") == waiters);
	}

	private static long commands(CommandCounts counts) {
		return counts.all() - counts.scripts();
	}

	/**
	 * Return how often acquire.lua was run: not all scripts are about the lock, and this
	 * command is in no other.
	 */
	private static long attempts(CommandCounts counts) {
		return counts.of("zmscore");
	}

	/**
	 * How many commands it took.
	 *
	 * @param handOver to hand the lock on once
	 * @param refusal to refuse it to somebody who waits
	 * @param attempts how often it was asked for, while it was handed on to each
	 */
	private record Costs(double handOver, double refusal, long attempts) {
	}

}
