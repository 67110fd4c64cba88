package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

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
 * Many threads of one instance that wait for one lock.
 */
@Tag("any-jdk")
@Tag("slow")
class ManyThreadsTests {

	private static final int THREADS = 1000;

	private static final int ROUNDS = 5;

	private static final LockRequest REQUEST = LockRequest.of("wanted").waitFor(Duration.ofMinutes(1));

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.patientJedis(redis.port());

	private final TestInstance instance = TestInstance.unobserved((id) -> RedisStores.open(this.connections));

	private final int[] sections = new int[THREADS];

	private int furthestAhead;

	@AfterEach
	void closeInstance() {
		this.instance.close();
		this.connections.destroy();
	}

	@Test
	void takeTurnsAndSeldomAskRedis() {
		LockHandle first = this.instance.template().acquire(REQUEST);
		List<CompletableFuture<long[]>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			int number = i;
			threads.add(Threads.start(() -> LongStream.range(0, ROUNDS).map((round) -> enter(number)).toArray()));
		}
		await().until(() -> this.instance.registry().status().waiting() == THREADS);
		CommandCounts before = CommandCounts.of(redis);
		long begin = System.nanoTime();
		first.release();
		List<Long> tokens = threads.stream().flatMap((thread) -> Arrays.stream(Threads.join(thread)).boxed()).toList();
		CommandCounts commands = CommandCounts.of(redis).since(before);
		assertThat(tokens).hasSize(THREADS * ROUNDS).doesNotHaveDuplicates();
		assertThat(this.sections).containsOnly(ROUNDS);
		assertThat(this.furthestAhead).as("Who got in line while others were at it may be two behind").isBetween(1, 2);
		long checks = Duration.ofNanos(System.nanoTime() - begin).dividedBy(TestInstance.HANDOVER_CHECK);
		assertThat(commands.scripts()).isBetween(2L, Math.min(checks + 4, THREADS * ROUNDS));
	}

	/**
	 * Go through the section once.
	 * @return the token
	 */
	private long enter(int thread) {
		try (LockHandle handle = this.instance.template().acquire(REQUEST)) {
			this.sections[thread]++;
			int least = Arrays.stream(this.sections).min().orElseThrow();
			this.furthestAhead = Math.max(this.furthestAhead, this.sections[thread] - least);
			return handle.fencingToken();
		}
	}

}
