package io.holdfast.redis.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.redis.connection.LockClient;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.ScarceThreads;
import io.holdfast.test.UntoldError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of slots when no thread can be started for them.
 */
class SlotExecutorsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(redis.port());

	@AfterEach
	void close() {
		this.connections.destroy();
	}

	@Test
	void slotsWithoutAThreadAreDealtWithByTheCaller() {
		SlotExecutors executors = new SlotExecutors(new LockClient(this.connections), new ScarceThreads(2));
		Map<Integer, Integer> slots = IntStream.range(0, 8).boxed().collect(Collectors.toMap((i) -> i, (i) -> i));
		Map<Integer, Thread> dealtWith = new ConcurrentHashMap<>();
		executors.forEach(slots, (slot) -> {
			dealtWith.put(slot, Thread.currentThread());
			if (slot == 0) {
				throw new UntoldError();
			}
		}, Duration.ofSeconds(30));
		assertThat(dealtWith).containsOnlyKeys(slots.keySet());
		assertThat(dealtWith.values()).contains(Thread.currentThread())
			.extracting(Thread::getName)
			.contains("scarce-thread");
	}

}
