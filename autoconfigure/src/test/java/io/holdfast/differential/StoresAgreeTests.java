package io.holdfast.differential;

import java.util.Random;

import io.holdfast.differential.Comparison.Difference;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store in memory does what the scripts in Redis do: random sequences of calls get
 * the same answers from both, and wake the same waiters.
 */
@Tag("slow")
class StoresAgreeTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final long CALLS = Long.getLong("differential.calls", 25_000);

	@Test
	void answerAlike() {
		long first = Long.getLong("differential.seed", new Random().nextLong());
		try (RedisSide inRedis = new RedisSide(redis, RandomCalls.KEYS)) {
			Comparison comparison = new Comparison(new LocalSide(), inRedis);
			for (long seed = first; comparison.calls() < CALLS; seed++) {
				Random random = new Random(seed);
				Difference difference = comparison.find((tokens) -> new RandomCalls(random, tokens));
				assertThat(difference).as("Differs in memory and in Redis with -Ddifferential.seed=%s", seed).isNull();
			}
			System.out.printf("The stores agreed in %d calls: -Ddifferential.seed=%s%n", comparison.calls(), first);
		}
	}

}
