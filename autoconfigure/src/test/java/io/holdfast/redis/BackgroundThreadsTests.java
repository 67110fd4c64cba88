package io.holdfast.redis;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads of stores: what they know of those who start them, and what becomes of them
 * when something goes wrong that never should.
 */
class BackgroundThreadsTests {

	private static final InheritableThreadLocal<@Nullable String> user = new InheritableThreadLocal<>();

	private static final Duration WORTH = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(redis.port());

	private final Set<Known> known = ConcurrentHashMap.newKeySet();

	private final AtomicInteger errors = new AtomicInteger();

	private final DisturbedConnections disturbed = new DisturbedConnections(this.connections, (call) -> {
		this.known.add(Known.here());
		if (this.errors.getAndDecrement() > 0) {
			throw new UntoldError();
		}
	});

	@AfterEach
	void close() {
		this.connections.destroy();
	}

	@Test
	void inheritNothingOfWhoStartsThem() throws Exception {
		WakeUpChannel channel = new WakeUpChannel(this.disturbed, "wake-ups:", "me");
		Node node = node(DaemonThreads.pool("holdfast-node", 1, 1));
		NodeDebts debts = debts(DaemonThreads.pool("holdfast-node-debts", 1, 1));
		ClassLoader mine = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader other = new URLClassLoader(new URL[0], mine)) {
			Thread.currentThread().setContextClassLoader(other);
			user.set("somebody");
			channel.open(new Deaf());
			debts.owe(withdrawal(), WORTH);
			CountDownLatch executed = new CountDownLatch(1);
			node.execute(() -> {
				this.known.add(Known.here());
				executed.countDown();
			});
			Threads.await(executed);
			await().until(() -> this.known.stream().map(Known::thread).distinct().count() == 3);
			assertThat(this.known).extracting(Known::user).containsOnlyNulls();
			assertThat(this.known).extracting(Known::classLoader).containsOnly(mine);
		}
		finally {
			user.remove();
			Thread.currentThread().setContextClassLoader(mine);
			channel.close();
			node.close(Duration.ZERO);
		}
	}

	@Test
	void subscriptionIsKeptWhateverIsThrown() {
		WakeUpChannel channel = new WakeUpChannel(this.disturbed, "wake-ups:", "me");
		this.errors.set(3);
		channel.open(new Deaf());
		await().until(() -> channel.state() == Subscription.ACTIVE);
		channel.close();
	}

	@Test
	void subscriptionBeginsWithTheFirstWhoGetsAThreadForIt() {
		WakeUpChannel channel = new WakeUpChannel(this.disturbed, "wake-ups:", "me", new ScarceThreads(2));
		channel.open(new Deaf());
		channel.open(new Deaf());
		assertThat(channel.state()).isEqualTo(Subscription.IDLE);
		channel.open(new Deaf());
		await().until(() -> channel.state() == Subscription.ACTIVE);
		channel.close();
	}

	@Test
	void nodeIsAskedByTheFirstWhoGetsAThreadForIt() {
		Node node = node(Executors.newFixedThreadPool(1, new ScarceThreads(2)));
		CountDownLatch executed = new CountDownLatch(1);
		assertThat(node.execute(executed::countDown)).isFalse();
		assertThat(node.execute(executed::countDown)).isFalse();
		assertThat(node.execute(executed::countDown)).isTrue();
		Threads.await(executed);
		node.close(Duration.ZERO);
	}

	@Test
	void debtsAreSettledWhateverIsThrown() {
		NodeDebts debts = debts(DaemonThreads.pool("holdfast-node-debts", 1, 1));
		this.errors.set(3);
		debts.owe(withdrawal(), WORTH);
		await().until(() -> debts.count() == 0);
		assertThat(this.errors.get()).isLessThan(0);
	}

	@Test
	void debtsAreSettledByTheFirstWhoGetsAThreadForIt() {
		NodeDebts debts = debts(Executors.newFixedThreadPool(1, new ScarceThreads(2)));
		debts.owe(withdrawal(), WORTH);
		debts.owe(withdrawal(), WORTH);
		assertThat(debts.count()).isOne();
		assertThat(this.known).isEmpty();
		debts.owe(withdrawal(), WORTH);
		await().until(() -> debts.count() == 0);
	}

	@Test
	void slotsWithoutAThreadAreDealtWithByTheCaller() {
		SlotLanes lanes = new SlotLanes(new RedisClient(ConnectionSource.of(this.connections)), new ScarceThreads(2));
		Map<Integer, Integer> slots = IntStream.range(0, 8).boxed().collect(Collectors.toMap((i) -> i, (i) -> i));
		Map<Integer, Thread> dealtWith = new ConcurrentHashMap<>();
		lanes.forEach(slots, (slot) -> {
			dealtWith.put(slot, Thread.currentThread());
			if (slot == 0) {
				throw new UntoldError();
			}
		}, WORTH);
		assertThat(dealtWith).containsOnlyKeys(slots.keySet());
		assertThat(dealtWith.values()).contains(Thread.currentThread())
			.extracting(Thread::getName)
			.contains("scarce-thread");
	}

	private Node node(ExecutorService threads) {
		return new Node(new QuorumNode("node", this.disturbed), new LockKeys("holdfast"), "me", Duration.ofHours(1),
				threads);
	}

	private NodeDebts debts(ExecutorService threads) {
		SlotLocks locks = new SlotLocks(new RedisClient(ConnectionSource.of(this.disturbed)), new LockKeys("holdfast"),
				Duration.ofHours(1), ReplicaAcks.NONE);
		return new NodeDebts(locks, threads);
	}

	private static Withdrawal withdrawal() {
		return Withdrawal.of(List.of("k"), "one:1", 7);
	}

	/**
	 * What a thread has of who started it.
	 */
	private record Known(String thread, @Nullable String user, @Nullable ClassLoader classLoader) {

		private static Known here() {
			Thread thread = Thread.currentThread();
			return new Known(thread.getName(), BackgroundThreadsTests.user.get(), thread.getContextClassLoader());
		}

	}

	/**
	 * As if there was no memory to say what has happened.
	 */
	private static final class UntoldError extends Error {

		private static final long serialVersionUID = 1L;

		@Override
		public String getMessage() {
			throw new OutOfMemoryError("for a test");
		}

	}

	/**
	 * Threads the first of which cannot be started.
	 */
	private static final class ScarceThreads implements ThreadFactory {

		private final AtomicInteger missing;

		private ScarceThreads(int missing) {
			this.missing = new AtomicInteger(missing);
		}

		@Override
		public Thread newThread(Runnable task) {
			if (this.missing.getAndDecrement() > 0) {
				throw new OutOfMemoryError("unable to create native thread, for a test");
			}
			return new Thread(task, "scarce-thread");
		}

	}

	private static final class Deaf implements WakeUpListener {

		@Override
		public void wakeUp(String key, String placeId) {
			// Nobody waits
		}

		@Override
		public void wakeUpAll() {
			// Nobody waits
		}

		@Override
		public void forceReleased(HoldId hold) {
			// Nobody holds anything
		}

	}

}
