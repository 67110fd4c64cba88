package io.holdfast.sample;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Crowd} and its {@link Turnout}.
 */
class CrowdTests {

	private final Crowd crowd = new Crowd(new SampleProperties(0, 0, Duration.ZERO, 4));

	@Test
	void countsThoseWhoBoughtAndKeepsTheFailuresOfOthers() {
		AtomicInteger buyers = new AtomicInteger();
		Turnout turnout = this.crowd.send(10, () -> {
			int buyer = buyers.incrementAndGet();
			if (buyer > 7) {
				throw new IllegalStateException("Buyer " + buyer);
			}
			return new Purchase(buyer <= 3, System.nanoTime());
		});
		assertThat(turnout.bought()).isEqualTo(3);
		assertThat(turnout.visits()).hasSize(7);
		assertThat(turnout.failures()).extracting(Throwable::getMessage)
			.containsExactlyInAnyOrder("Buyer 8", "Buyer 9", "Buyer 10");
	}

	@Test
	void measuresTheTimeUntilABuyerGetsIn() {
		Turnout turnout = this.crowd.send(1, () -> new Purchase(true, System.nanoTime() + 5_000_000_000L));
		assertThat(turnout.waits()).hasSize(1);
		assertThat(turnout.waits()[0]).isBetween(5_000_000_000L, 6_000_000_000L);
	}

}
