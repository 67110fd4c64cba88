package io.holdfast.differential;

import java.util.List;
import java.util.Random;

import io.holdfast.differential.Comparison.Difference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store in memory does what another one does: random sequences of calls get the same
 * answers from both, and wake the same waiters.
 */
@Tag("slow")
public abstract class AbstractStoresAgreeTests {

	protected static final List<String> KEYS = RandomCalls.KEYS;

	private final long calls;

	protected AbstractStoresAgreeTests(long calls) {
		this.calls = Long.getLong("differential.calls", calls);
	}

	protected abstract Side side();

	@Test
	void answerAlike() {
		long first = Long.getLong("differential.seed", new Random().nextLong());
		try (Side side = side()) {
			Comparison comparison = new Comparison(new LocalSide(), side);
			for (long seed = first; comparison.calls() < this.calls; seed++) {
				Random random = new Random(seed);
				Difference difference = comparison.find((tokens) -> new RandomCalls(random, tokens));
				assertThat(difference).as("Differs in memory and there with -Ddifferential.seed=%s", seed).isNull();
			}
			System.out.printf("The stores agreed in %d calls: -Ddifferential.seed=%s%n", comparison.calls(), first);
		}
	}

}
