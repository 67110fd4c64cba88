package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An instance that holds very many locks: so many that a build can bear, or as many as
 * are asked for.
 */
@Tag("any-jdk")
@Tag("slow")
class ManyHoldsTests {

	private static final int HOLDS = Integer.getInteger("holdfast.test.holds", 20_000);

	private static final int THREADS = 8;

	/**
	 * How many are renewed at once on average, at least. The watchdog sends up to 128,
	 * but a busy machine acquires them over so long a time that fewer are due at once.
	 */
	private static final int AT_ONCE = 20;

	private static final Duration LEASE = Duration.ofSeconds(20);

	private static final Duration LIMIT = Duration.ofMinutes(1);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.patientJedis(redis.port());

	private final TestInstance instance = TestInstance.unobserved((id) -> RedisStores.open(this.connections));

	/**
	 * With its server gone, the instance does not give back each single lock.
	 */
	@AfterEach
	void closeInstance() {
		redis.kill();
		this.instance.close();
		this.connections.destroy();
	}

	@Test
	void areRenewedManyAtOnce() {
		List<LockHandle> handles = acquireAll();
		long renewedBefore = this.instance.renewed();
		CommandCounts commandsBefore = CommandCounts.of(redis);
		await().atMost(LIMIT).until(() -> this.instance.renewed() - renewedBefore >= HOLDS);
		CommandCounts commands = CommandCounts.of(redis).since(commandsBefore);
		assertThat(handles).hasSize(HOLDS).allMatch(LockHandle::isHeld);
		assertThat(this.instance.registry().status().held()).isEqualTo(HOLDS);
		assertThat(this.instance.notRenewed()).isZero();
		assertThat(commands.scripts()).isBetween(1L, (long) HOLDS / AT_ONCE);
	}

	private List<LockHandle> acquireAll() {
		List<CompletableFuture<List<LockHandle>>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			int from = i * (HOLDS / THREADS);
			threads.add(Threads.start(() -> IntStream.range(from, from + HOLDS / THREADS)
				.mapToObj((number) -> acquire(number))
				.toList()));
		}
		return threads.stream().flatMap((thread) -> Threads.join(thread).stream()).toList();
	}

	private LockHandle acquire(int number) {
		return this.instance.registry()
			.acquireOrThrow(LockRequest.of("held-" + number).lease(LEASE).ownedByHandle().waitFor(LIMIT));
	}

}
